package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;

/** Tests commands on data whose naming contexts have no entries yet. */
class EmptyContextsTest {
  private static final String TWO = "\"o=first\", \"o=second\"";

  @TempDir Path folder;

  private final LocalCommands commands = new LocalCommands();

  private int nyala(String... arguments) {
    return commands.run(folder.resolve("test.conf"), arguments);
  }

  private Path exported() {
    return folder.resolve("out.ldif");
  }

  private RunningServer serve(String suffixes) throws IOException {
    return LocalServer.start(folder, "suffixes = [" + suffixes + "]");
  }

  private static void add(RunningServer server, String organization) throws Exception {
    try (LDAPConnection connection = LocalServer.connectAsRoot(server)) {
      connection.add("dn: o=" + organization, "objectClass: organization", "o: " + organization);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {TWO, "\"\""})
  void shouldExportVerifyAndIndexAnEmptyStore(String suffixes) throws Exception {
    serve(suffixes).close();
    assertThat(nyala("export", "-o", exported().toString())).isEqualTo(ExitCode.OK);
    assertThat(exported()).isEmptyFile();
    assertThat(commands.err()).isEqualTo("nyala: the export contains 0 entries\n");
    assertThat(nyala("verify")).as(commands.err()).isEqualTo(ExitCode.OK);
    assertThat(commands.out()).startsWith("sound: 0 entries");
    assertThat(nyala("index", "add", "title")).isEqualTo(ExitCode.OK);
    assertThat(nyala("index", "rebuild", "cn")).isEqualTo(ExitCode.OK);
    assertThat(nyala("index", "list")).isEqualTo(ExitCode.OK);
    assertThat(commands.out()).contains("title:eq\n", "cn:eq,sub\n");
    assertThat(nyala("status")).isEqualTo(ExitCode.NOT_RUNNING);
    // Replacing data by nothing is a mistake.
    assertThat(nyala("import", "--replace", exported().toString())).isEqualTo(ExitCode.FAILED);
    assertThat(commands.err()).contains("the input holds no entries").hasLineCount(1);
    serve(suffixes).close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"first", "second"})
  void shouldExportTheContextThatHasEntries(String organization) throws Exception {
    try (RunningServer server = serve(TWO)) {
      add(server, organization);
      assertThat(nyala("export", "-o", exported().toString())).isEqualTo(ExitCode.OK);
    }
    assertThat(commands.err()).isEmpty();
    assertThat(exported())
        .content()
        .startsWith("dn: o=" + organization + "\n")
        .containsOnlyOnce("dn: ");
    assertThat(nyala("verify")).as(commands.err()).isEqualTo(ExitCode.OK);
    assertThat(nyala("import", "--replace", exported().toString())).isEqualTo(ExitCode.OK);
    assertThat(commands.out()).contains("imported 1 of 1").contains("suffix o=first and o=second");
    assertThat(nyala("verify")).as(commands.err()).isEqualTo(ExitCode.OK);
    String other = organization.equals("first") ? "second" : "first";
    try (RunningServer server = serve(TWO)) {
      add(server, other);
    }
    assertThat(nyala("export", "-o", exported().toString())).isEqualTo(ExitCode.OK);
    assertThat(nyala("verify")).isEqualTo(ExitCode.OK);
    assertThat(commands.out()).startsWith("sound: 2 entries");
  }

  @Test
  void shouldRefuseABaseThatIsNotThere() throws Exception {
    serve(TWO).close();
    assertThat(nyala("export", "--base", "o=second", "-o", exported().toString()))
        .isEqualTo(ExitCode.FAILED);
    assertThat(commands.err()).isEqualTo("nyala: there is no entry o=second\n");
    assertThat(exported()).doesNotExist();
  }
}
