package org.nyala.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

final class IndexCommandTest {
  @TempDir Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int nyala(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine commandLine =
        Main.commandLine().setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return commandLine.execute(arguments);
  }

  private String data() {
    return folder.resolve("data").toString();
  }

  private String list() {
    assertThat(nyala("index", "list", "--data", data())).isEqualTo(ExitCode.OK);
    return out.toString();
  }

  @BeforeEach
  void load() {
    String file = folder.resolve("a.ldif").toString();
    assertThat(nyala("sample", "--entries", "20", "-o", file)).isEqualTo(ExitCode.OK);
    assertThat(nyala("import", file, "--data", data())).isEqualTo(ExitCode.OK);
  }

  @Test
  void shouldAddRebuildAndDropIndexes() {
    assertThat(list()).contains("cn:eq,sub\n").doesNotContain("title");
    assertThat(nyala("index", "add", "title:eq,pres", "--data", data())).isEqualTo(ExitCode.OK);
    assertThat(list()).contains("title:eq,pres\n");
    assertThat(nyala("index", "rebuild", "cn", "--data", data())).isEqualTo(ExitCode.OK);
    assertThat(list()).contains("cn:eq,sub\n");
    assertThat(nyala("verify", "--data", data())).isEqualTo(ExitCode.OK);
    assertThat(nyala("index", "drop", "title:eq", "--data", data())).isEqualTo(ExitCode.OK);
    assertThat(list()).contains("title:pres\n");
    assertThat(nyala("index", "drop", "cn", "--data", data())).isEqualTo(ExitCode.OK);
    assertThat(list()).doesNotContain("cn:");
    assertThat(nyala("verify", "--data", data())).isEqualTo(ExitCode.OK);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "entryDN",
        "numSubordinates:eq",
        "hasSubordinates:pres",
        "subschemaSubentry",
        "governingStructureRule",
        "entryTtl:pres"
      })
  void shouldRefuseToIndexWhatIsComputed(String wanted) {
    String before = list();
    assertThat(nyala("index", "add", wanted, "--data", data())).isEqualTo(ExitCode.USAGE);
    String attribute = wanted.replaceAll(":.*", "");
    assertThat(err.toString())
        .startsWith("nyala: " + attribute + " is computed when somebody asks for it")
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
    assertThat(nyala(add)).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).startsWith("nyala: memberOf is computed");
    add[6] = Files.writeString(folder.resolve("stored.conf"), "nyala { }\n").toString();
    assertThat(nyala(add)).isEqualTo(ExitCode.OK);
    assertThat(list()).contains("memberof:eq,pres\n");
  }

  @Test
  void shouldRefuseWhatCannotBeIndexed() {
    for (String wanted : new String[] {"nosuch:eq", "cn:best", "jpegPhoto:eq"}) {
      assertThat(nyala("index", "add", wanted, "--data", data())).isEqualTo(ExitCode.USAGE);
      assertThat(err.toString()).startsWith("nyala: ").hasLineCount(1);
    }
    assertThat(nyala("index", "add", "title:approx", "--data", data())).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString())
        .isEqualTo(
            "nyala: unknown index kind 'approx' for title: expected eq, sub, pres or ord;"
                + " eq answers approximate matches (~=) as well\n");
    assertThat(list()).doesNotContain("title");
    assertThat(nyala("index", "add", "--data", data())).isEqualTo(ExitCode.USAGE);
    assertThat(nyala("index", "burn", "cn", "--data", data())).isEqualTo(ExitCode.USAGE);
  }
}
