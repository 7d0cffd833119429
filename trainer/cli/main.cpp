#include "trainer/cli/verbs.h"

int main(int count, char** args) {
    return dailies::trainer::runCommandLine({args + 1, args + count});
}
