class Choice: pass
def choose(*a): pass
