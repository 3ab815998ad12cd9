package org.nyala.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.service.RunDirectory;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/** Tests commands that need no server, in this process. */
class CommandLineTest {
  @TempDir Path folder;

  private final LocalCommands nyala = new LocalCommands();

  private String data() {
    return folder.resolve("data").toString();
  }

  private String file(String name) {
    return folder.resolve(name).toString();
  }

  @Test
  void shouldImportVerifyAndExport() throws IOException {
    assertThat(nyala.run("sample", "20", "-o", file("a.ldif"))).isEqualTo(ExitCode.OK);
    assertThat(nyala.run("import", file("a.ldif"), "--data", data())).isEqualTo(ExitCode.OK);
    assertThat(nyala.out())
        .startsWith("imported 33 of 33 entries into ")
        .endsWith("0 rejected; suffix dc=example,dc=com\n");
    assertThat(nyala.run("verify", "--data", data())).isEqualTo(ExitCode.OK);
    assertThat(nyala.out()).startsWith("sound: 33 entries, ");
    String base = "ou=People,dc=example,dc=com";
    assertThat(
            nyala.run(
                "export",
                "--data",
                data(),
                "--base",
                base,
                "--filter",
                "(|(uid=user.3)(uid=user.11))",
                "-o",
                file("b.ldif")))
        .isEqualTo(ExitCode.OK);
    assertThat(Files.readAllLines(folder.resolve("b.ldif")))
        .filteredOn(line -> line.startsWith("dn:"))
        .containsExactly("dn: uid=user.3," + base, "dn: uid=user.11," + base);
  }

  @Test
  void shouldNotReplaceDataUnasked() {
    nyala.run("sample", "--entries", "5", "-o", file("a.ldif"));
    assertThat(nyala.run("import", file("a.ldif"), "--data", data())).isEqualTo(ExitCode.OK);
    assertThat(nyala.run("import", file("a.ldif"), "--data", data())).isEqualTo(ExitCode.FAILED);
    assertThat(nyala.err()).startsWith("nyala: ").contains("--replace").hasLineCount(1);
    assertThat(nyala.run("import", "--replace", file("a.ldif"), "--data", data()))
        .isEqualTo(ExitCode.OK);
  }

  @Test
  void shouldTellWhenEntriesWereRejected() throws IOException {
    nyala.run("sample", "--entries", "5", "-o", file("a.ldif"));
    Files.writeString(
        folder.resolve("bad.ldif"),
        "dn: uid=bad,ou=People,dc=example,dc=com\nobjectClass: noSuchClass\nuid: bad\n");
    assertThat(
            nyala.run(
                "import",
                file("a.ldif"),
                file("bad.ldif"),
                "--reject",
                file("rejected.ldif"),
                "--data",
                data()))
        .isEqualTo(ExitCode.REJECTED);
    assertThat(nyala.out()).contains("imported 13 of 14 entries").contains("1 rejected");
    assertThat(nyala.err()).contains("noSuchClass").hasLineCount(2);
    assertThat(folder.resolve("rejected.ldif")).content().contains("dn: uid=bad,ou=People");
  }

  @Test
  void shouldEndWithTheCausesOfRejections() throws IOException {
    StringBuilder ldif = new StringBuilder("dn: dc=x\nobjectClass: domain\ndc: x\n");
    for (int i = 0; i < 25; i++) {
      ldif.append("\ndn: uid=").append(i).append(",dc=x\nobjectClass: noSuchClass\n");
    }
    Files.writeString(folder.resolve("bad.ldif"), ldif.append("\ndn: dc=y\nobjectClass: domain\n"));
    assertThat(nyala.run("import", file("bad.ldif"), "--data", data()))
        .isEqualTo(ExitCode.REJECTED);
    assertThat(nyala.err())
        .endsWith(
            """
            ... and 6 more; --reject FILE collects all
            rejected by cause:
              25 x unknown object class 'noSuchClass': 'uid=0,dc=x' (line 5), 'uid=1,dc=x' (line 8),\
             'uid=2,dc=x' (line 11), ...
              1 x not within the suffix 'dc=x': 'dc=y' (line 80)
            warning: 25 x rejected entries have the object class noSuchClass, which no schema file\
             defines: add the file that does to a folder of schema: 'uid=0,dc=x' (line 5);\
             'uid=1,dc=x' (line 8); 'uid=2,dc=x' (line 11); ...
            """)
        .hasLineCount(25);
    assertFileOfRejections("/dev/null", "... and 6 more\n");
    assertFileOfRejections(
        file("rejects.ldif"), "... and 6 more; " + file("rejects.ldif") + " has all\n");
  }

  private void assertFileOfRejections(String reject, String line) {
    String[] command = {
      "import",
      "--replace",
      "--maximum-rejected=100",
      file("bad.ldif"),
      "--reject",
      reject,
      "--data",
      data()
    };
    assertThat(nyala.run(command)).isEqualTo(ExitCode.REJECTED);
    assertThat(nyala.err()).contains(line);
  }

  /**
   * The data is replaced by what was imported: of a file with few good entries hardly on purpose.
   */
  @Test
  void shouldKeepDataRatherThanReplaceItByALittle() throws Exception {
    nyala.run("sample", "--entries", "20", "-o", file("good.ldif"));
    assertThat(nyala.run("import", file("good.ldif"), "--data", data())).isEqualTo(ExitCode.OK);
    StringBuilder bad = new StringBuilder("dn: dc=x\nobjectClass: domain\ndc: x\n\n");
    for (int i = 0; i < 5; i++) {
      bad.append("dn: uid=" + i + ",dc=x\nobjectClass: noSuchClass\n\n");
    }
    Files.writeString(Path.of(file("bad.ldif")), bad);
    assertThat(nyala.run("import", "--replace", file("bad.ldif"), "--data", data()))
        .isEqualTo(ExitCode.FAILED);
    assertThat(nyala.err())
        .contains("5 of 6 entries were rejected, more than 10 % (--maximum-rejected)")
        .contains("nothing was changed", "noSuchClass");
    assertThat(nyala.run("verify", "--data", data())).isEqualTo(ExitCode.OK);
    String before = nyala.out();
    String most = "--maximum-rejected=90";
    assertThat(nyala.run("import", "--replace", most, file("bad.ldif"), "--data", data()))
        .isEqualTo(ExitCode.REJECTED);
    Matcher line = Pattern.compile("the old data was moved to (\\S+): ").matcher(nyala.out());
    assertThat(line.find()).isTrue();
    assertThat(nyala.run("verify", "--data", line.group(1))).isEqualTo(ExitCode.OK);
    assertThat(nyala.out()).isEqualTo(before);
    assertThat(
            nyala.run("import", "--replace", "--discard-old", file("good.ldif"), "--data", data()))
        .isEqualTo(ExitCode.OK);
    assertThat(nyala.out()).doesNotContain("the old data");
  }

  @Test
  void shouldNotImportUnderARunningServer() {
    nyala.run("sample", "--entries", "5", "-o", file("a.ldif"));
    try (RunDirectory.Lease lease = new RunDirectory(Path.of(data())).acquire()) {
      assertThat(lease).isNotNull();
      assertThat(nyala.run("import", file("a.ldif"), "--data", data()))
          .isEqualTo(ExitCode.ALREADY_RUNNING);
      assertThat(nyala.run("status", "--data", data())).isEqualTo(ExitCode.OK);
      assertThat(nyala.out()).startsWith("nyala is starting or stopping, pid ");
    }
    assertThat(nyala.run("status", "--data", data())).isEqualTo(ExitCode.NOT_RUNNING);
    assertThat(nyala.run("stop", "--data", data())).isEqualTo(ExitCode.NOT_RUNNING);
  }

  @ParameterizedTest
  @ValueSource(strings = {"serve", "verify", "export"})
  void shouldSayThatThereIsNoData(String command) {
    boolean isServe = command.equals("serve");
    assertThat(nyala.run(command, "--data", data()))
        .isEqualTo(isServe ? ExitCode.USAGE : ExitCode.FAILED);
    String hint =
        isServe
            ? ", or name the suffixes of an empty directory in nyala.suffixes of the configuration"
            : "";
    assertThat(nyala.err())
        .isEqualTo(
            "nyala: there is no directory data in "
                + data()
                + ": run 'nyala import' first"
                + hint
                + "\n");
  }

  @Test
  void shouldRefuseWrongUsageWithoutDoingAnything() {
    assertThat(nyala.run()).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.run("statsu")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).startsWith("nyala: there is no command 'statsu'; did you mean status?");
    assertThat(nyala.run("status", "now")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).startsWith("nyala: 'now' is one argument too many\n");
    assertThat(nyala.run("import")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.run("sample", "--entries", "0")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.run("sample", "--entries", "many")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.run("sample")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.run("sample", "3", "--entries", "3")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.run("serve", "--sample", "0")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.run("serve", "--sample", "3", "--data", data())).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains("leave --data out");
    assertThat(nyala.run("serve", "--listen", "http://x")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err())
        .contains("expected ldap://HOST[:PORT], ldaps://HOST[:PORT] or ldapi:///PATH");
    assertThat(nyala.run("serve", "--listen", "ldaps://x")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains("ldaps:// needs a certificate");
    assertThat(nyala.run("serve", "--config", file("missing.conf"))).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err())
        .isEqualTo("nyala: " + file("missing.conf") + ": there is no such file\n");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void shouldExplainEveryCommandOptionAndArgument() {
    explain(Main.commandLine(), List.of());
    explain(org.nyala.loadtest.cli.Main.commandLine(), List.of());
  }

  private void explain(CommandLine command, List<String> path) {
    CommandSpec spec = command.getCommandSpec();
    assertThat(spec.usageMessage().description()).as(path.toString()).isNotEmpty();
    for (ArgSpec each : spec.args()) {
      assertThat(String.join("", each.description()))
          .as("%s %s", path, each.paramLabel())
          .isNotBlank();
    }
    List<String> arguments = new ArrayList<>(path);
    arguments.add("--help");
    StringWriter help = new StringWriter();
    CommandLine root = spec.root().commandLine().setOut(new PrintWriter(help, true));
    assertThat(root.execute(arguments.toArray(String[]::new))).isEqualTo(ExitCode.OK);
    assertThat(help.toString()).startsWith("Usage: " + spec.qualifiedName());
    assertThat(listed(command)).as(path.toString()).allMatch(line -> line.endsWith("."));
    for (Map.Entry<String, CommandLine> below : command.getSubcommands().entrySet()) {
      if (below.getValue().getCommandSpec().usageMessage().hidden()) {
        continue;
      }
      List<String> further = new ArrayList<>(path);
      further.add(below.getKey());
      explain(below.getValue(), further);
    }
  }

  /** Returns the names and descriptions of subcommands, as the help of a command lists them. */
  private static List<String> listed(CommandLine command) {
    String list = command.getHelp().commandList(command.getHelp().subcommands());
    return list.isBlank()
        ? List.of()
        : Stream.of(list.split("\\n(?=  \\S)")).map(String::strip).toList();
  }

  @Test
  void shouldRefuseAWrongFilterOrBase() {
    nyala.run("sample", "--entries", "5", "-o", file("a.ldif"));
    nyala.run("import", file("a.ldif"), "--data", data());
    assertThat(nyala.run("export", "--data", data(), "--filter", "(x")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).startsWith("nyala: --filter: '(x' is not a filter: ");
    assertThat(nyala.run("export", "--data", data(), "--base", "x")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).startsWith("nyala: --base 'x': ");
    assertThat(nyala.run("export", "--data", data(), "--base", "ou=x,dc=example,dc=com"))
        .isEqualTo(ExitCode.FAILED);
    assertThat(nyala.err()).startsWith("nyala: there is no entry ").hasLineCount(1);
  }

  @Test
  void shouldLeaveNothingOfAnExportThatFailed() throws IOException {
    nyala.run("sample", "--entries", "5", "-o", file("a.ldif"));
    nyala.run("import", file("a.ldif"), "--data", data());
    Files.writeString(folder.resolve("old.ldif"), "what was there");
    String[] names = list();
    for (String name : new String[] {"old.ldif", "new.ldif"}) {
      assertThat(
              nyala.run(
                  "export", "--data", data(), "--base", "ou=x,dc=example,dc=com", "-o", file(name)))
          .isEqualTo(ExitCode.FAILED);
      assertThat(list()).isEqualTo(names);
    }
    assertThat(folder.resolve("old.ldif")).hasContent("what was there");
  }

  @Test
  void shouldReplaceAnExportInOneStepAndKeepItPrivate() throws IOException {
    nyala.run("sample", "--entries", "5", "-o", file("a.ldif"));
    nyala.run("import", file("a.ldif"), "--data", data());
    Path real = folder.resolve("real.ldif");
    Files.writeString(real, "what was there");
    Files.createSymbolicLink(folder.resolve("link.ldif"), real);
    String[] names = list();
    assertThat(nyala.run("export", "--data", data(), "-o", file("link.ldif")))
        .isEqualTo(ExitCode.OK);
    assertThat(list()).isEqualTo(names);
    assertThat(folder.resolve("link.ldif")).isSymbolicLink();
    assertThat(real).content().startsWith("dn: dc=example,dc=com").doesNotContain("what was there");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(real)))
        .isEqualTo("rw-------");
    assertThat(nyala.run("export", "--data", data(), "-o", "/dev/null")).isEqualTo(ExitCode.OK);
    assertThat(Path.of("/dev/null")).exists().isReadable();
    assertThat(Files.isRegularFile(Path.of("/dev/null"))).isFalse();
  }

  private String[] list() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(path -> path.getFileName().toString()).sorted().toArray(String[]::new);
    }
  }

  @Test
  void shouldExplainAFileThatCannotBeRead() {
    assertThat(nyala.run("import", file("missing.ldif"), "--data", data()))
        .isEqualTo(ExitCode.FAILED);
    assertThat(nyala.err())
        .isEqualTo("nyala: cannot read " + file("missing.ldif") + ": no such file\n");
  }
}
