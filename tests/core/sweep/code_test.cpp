#include "core/sweep/code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::sweep {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Place = Code::Place;

TEST(Code, IsReadAsPipSpellsIt) {
    EXPECT_EQ(codeFromText("src/it"), (Code{Place::Local, "src/it"}));
    EXPECT_EQ(codeFromText("cluster:~/src"), (Code{Place::Cluster, "~/src"}));
    EXPECT_EQ(codeFromText("git+https://h/o/n"), (Code{Place::Git, "", "", "https://h/o/n"}));
    EXPECT_EQ(codeFromText("git+https://h/o/n.git@feature/x#subdirectory=a/b"),
              (Code{Place::Git, "a/b", "feature/x", "https://h/o/n.git"}));
    EXPECT_EQ(codeFromText("git+ssh://git@h:22/o/n@v1"), (Code{Place::Git, "", "v1", "ssh://git@h:22/o/n"}));
    EXPECT_EQ(codeFromText("git+git@h:o/n"), (Code{Place::Git, "", "", "git@h:o/n"}));
    EXPECT_EQ(codeFromText("git+git@h:o/n@v1"), (Code{Place::Git, "", "v1", "git@h:o/n"}));
    EXPECT_EQ(codeFromText("git+file:///srv/n@v1"), (Code{Place::Git, "", "v1", "file:///srv/n"}));
}

TEST(Code, IsWrittenAsItIsRead) {
    for (const char* text : {"src/it", "cluster:~/src", "git+https://h/o/n", "git+git@h:o/n@v1",
                             "git+ssh://git@h/o/n@feature/x#subdirectory=a/b"})
        EXPECT_EQ(textOf(codeFromText(text)), text);
}

TEST(Code, AnAddressThatGitCannotBeGivenIsNamed) {
    const auto problem = [](const char* text) { return repositoryProblem(codeFromText(text)); };
    for (const char* good : {"git+https://h/o/n", "git+git@h:o/n@v1", "git+ssh://git@h/o/n@feature/x",
                             "git+file:///srv/n@0123abc#subdirectory=a"})
        EXPECT_THAT(problem(good), IsEmpty()) << good;
    for (const char* bad : {"git+", "git+https://h", "git+https://h/", "git+--upload-pack=x", "git+/srv/n",
                            "git+ext::sh -c x", "git+https://h/o\nn"})
        EXPECT_THAT(problem(bad), HasSubstr("expected the address of a repository")) << bad;
    for (const char* bad : {"git+https://h/o/n@--output=x", "git+https://h/o/n@a..b", "git+https://h/o/n@a b",
                            "git+https://h/o/n@v1~2"})
        EXPECT_THAT(problem(bad), HasSubstr("expected a commit, a tag or a branch")) << bad;
    for (const char* bad : {"git+https://h/o/n#subdirectory=/etc", "git+https://h/o/n#subdirectory=a/../.."})
        EXPECT_THAT(problem(bad), HasSubstr("a folder below the repository's own")) << bad;
    for (const char* bad :
         {"git+https://ada:hunter2@h/o/n", "git+https://hunter2@h/o/n", "git+ssh://ada:hunter2@h/o/n"}) {
        EXPECT_THAT(problem(bad), HasSubstr("a password or token")) << bad;
        EXPECT_THAT(problem(bad), Not(HasSubstr("hunter2"))) << bad;
    }
}

}  // namespace
}  // namespace dailies::sweep
