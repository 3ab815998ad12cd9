package org.nyala.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;

final class IndexCommandTest {
  @TempDir Path folder;
  private final LocalCommands nyala = new LocalCommands();

  private String data() {
    return folder.resolve("data").toString();
  }

  private String list() {
    assertThat(nyala.run("index", "list", "--data", data())).isEqualTo(ExitCode.OK);
    return nyala.out();
  }

  @BeforeEach
  void load() {
    String file = folder.resolve("a.ldif").toString();
    assertThat(nyala.run("sample", "--entries", "20", "-o", file)).isEqualTo(ExitCode.OK);
    assertThat(nyala.run("import", file, "--data", data())).isEqualTo(ExitCode.OK);
  }

  @Test
  void shouldAddRebuildAndDropIndexes() {
    assertThat(list()).contains("cn:eq,sub\n").doesNotContain("title");
    assertThat(nyala.run("index", "add", "title:eq,pres", "--data", data())).isEqualTo(ExitCode.OK);
    assertThat(list()).contains("title:eq,pres\n");
    assertThat(nyala.run("index", "rebuild", "cn", "--data", data())).isEqualTo(ExitCode.OK);
    assertThat(list()).contains("cn:eq,sub\n");
    assertThat(nyala.run("verify", "--data", data())).isEqualTo(ExitCode.OK);
    assertThat(nyala.run("index", "drop", "title:eq", "--data", data())).isEqualTo(ExitCode.OK);
    assertThat(list()).contains("title:pres\n");
    assertThat(nyala.run("index", "drop", "cn", "--data", data())).isEqualTo(ExitCode.OK);
    assertThat(list()).doesNotContain("cn:");
    assertThat(nyala.run("verify", "--data", data())).isEqualTo(ExitCode.OK);
  }

  @Test
  void shouldChangeSeveralIndexesAfterCheckingAll() {
    String before = list();
    assertThat(nyala.run("index", "add", "title:pres", "nosuch", "--data", data()))
        .isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains("nosuch").hasLineCount(1);
    assertThat(list()).isEqualTo(before);
    assertThat(nyala.run("index", "add", "title:pres", "roomNumber", "--data", data()))
        .isEqualTo(ExitCode.OK);
    assertThat(list()).contains("title:pres\n", "roomnumber:eq\n");
    assertThat(nyala.run("index", "drop", "title", "roomNumber", "--data", data()))
        .isEqualTo(ExitCode.OK);
    assertThat(list()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "entryDN",
        "numSubordinates:eq",
        "hasSubordinates:pres",
        "subschemaSubentry",
        "governingStructureRule",
        "entryTtl:pres",
        "contextCSN:eq"
      })
  void shouldRefuseToIndexWhatIsComputed(String wanted) {
    String before = list();
    assertThat(nyala.run("index", "add", wanted, "--data", data())).isEqualTo(ExitCode.USAGE);
    String attribute = wanted.replaceAll(":.*", "");
    assertThat(nyala.err())
        .startsWith("nyala: " + attribute + " is computed for each answer")
        .hasLineCount(1);
    assertThat(list()).isEqualTo(before);
  }

  @Test
  void shouldIndexMemberOfOnlyWhereItIsStored() throws IOException {
    String[] add = {"index", "add", "memberOf:pres", "--data", data(), "--config", ""};
    add[6] =
        Files.writeString(
                folder.resolve("computed.conf"), "nyala { memberOf { enabled = true } }\n")
            .toString();
    assertThat(nyala.run(add)).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).startsWith("nyala: memberOf is computed");
    add[6] = Files.writeString(folder.resolve("stored.conf"), "nyala { }\n").toString();
    assertThat(nyala.run(add)).isEqualTo(ExitCode.OK);
    assertThat(list()).contains("memberof:eq,pres\n");
  }

  @Test
  void shouldRefuseWhatCannotBeIndexed() {
    for (String wanted : new String[] {"nosuch:eq", "cn:best", "jpegPhoto:eq"}) {
      assertThat(nyala.run("index", "add", wanted, "--data", data())).isEqualTo(ExitCode.USAGE);
      assertThat(nyala.err()).startsWith("nyala: ").hasLineCount(1);
    }
    assertThat(nyala.run("index", "add", "title:approx", "--data", data()))
        .isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err())
        .isEqualTo(
            "nyala: unknown index kind 'approx' for title: expected eq, sub, pres or ord;"
                + " eq answers approximate matches (~=) as well\n");
    assertThat(list()).doesNotContain("title");
    assertThat(nyala.run("index", "add", "--data", data())).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.run("index", "burn", "cn", "--data", data())).isEqualTo(ExitCode.USAGE);
  }
}
