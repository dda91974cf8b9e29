"""What is learned of a communicator while it is being freed is not taken for the next one that has its handle: the program
would crash."""


def expect(e):
    pass
