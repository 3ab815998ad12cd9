package org.nyala.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.ServerProcess;

/** Chooses the attributes and files of exports. */
class ExportCommandTest {
  private static final String COMPUTED = "memberOf { enabled = true, groupAttributes = [member] }";
  private static final String DATA =
      """
      dn: dc=example,dc=com
      objectClass: domain
      dc: example

      dn: cn=a,dc=example,dc=com
      objectClass: person
      cn: a
      sn: a
      memberOf: cn=frozen,dc=example,dc=com
      pwdChangedTime: 20240101000000Z

      dn: cn=group,dc=example,dc=com
      objectClass: groupOfNames
      cn: group
      member: cn=a,dc=example,dc=com
      """;

  @TempDir Path folder;

  private final LocalCommands nyala = new LocalCommands();
  private Path conf = Path.of("none");

  private void load(String configuration) throws IOException {
    conf = ServerProcess.configure(folder, configuration);
    String ldif = Files.writeString(folder.resolve("data.ldif"), DATA).toString();
    nyala.shouldSucceed(conf, "import", ldif);
  }

  private String export(String... options) throws IOException {
    Path file = folder.resolve("out.ldif");
    String[] all = new String[options.length + 2];
    all[0] = "export";
    all[1] = "--output=" + file;
    System.arraycopy(options, 0, all, 2, options.length);
    nyala.shouldSucceed(conf, all);
    return Files.readString(file);
  }

  @Test
  void shouldNeverWriteStoredMembershipsIfTheyAreComputed() throws IOException {
    load(COMPUTED);
    assertThat(export()).contains("pwdChangedTime").doesNotContain("memberOf");
    assertThat(export("--member-of=none")).doesNotContain("memberOf");
    assertThat(export("--member-of=computed"))
        .containsOnlyOnce("memberOf: cn=group,dc=example,dc=com\n")
        .doesNotContain("frozen");
  }

  @Test
  void shouldTreatMembershipsThatAreNotComputedAsData() throws IOException {
    load("");
    assertThat(export()).contains("\nmemberOf: cn=frozen,dc=example,dc=com\n");
    assertThat(export("--member-of=none")).doesNotContain("memberOf");
    assertThat(nyala.run(conf, "export", "--member-of=computed")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains("memberOf.enabled is not set");
  }

  @Test
  void shouldLeaveOutAttributes() throws IOException {
    load("");
    assertThat(export("--except=pwdchangedtime,sn"))
        .contains("\ncn: a\n")
        .doesNotContain("pwdC", "sn:");
    assertThat(nyala.run(conf, "export", "--except=nothing")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains("--except: the schema has no attribute type nothing");
    assertThat(nyala.run(conf, "export", "--except=2.5.4.0")).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void shouldSplitIntoAnExistingFolderOnly() throws IOException {
    load("suffixes = [\"dc=example,dc=com\", \"o=none\"]");
    String missing = folder.resolve("missing").toString();
    assertThat(nyala.run(conf, "export", "--split=" + missing)).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains("--split: there is no folder " + missing);
    assertThat(nyala.run(conf, "export", "--split=" + folder, "--base=o=none"))
        .isEqualTo(ExitCode.USAGE);
    String whole = export();
    Path made = Files.createDirectory(folder.resolve("made"));
    nyala.shouldSucceed(conf, "export", "--split=" + made);
    assertThat(made).isDirectoryContaining("glob:**/dc=example,dc=com.ldif");
    assertThat(made.toFile().list()).hasSize(1);
    assertThat(made.resolve("dc=example,dc=com.ldif")).hasContent(whole);
  }
}
