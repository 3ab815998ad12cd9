package org.nyala.tarball;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.DocumentedPage;
import org.nyala.process.DocumentedPage.Block;
import org.nyala.process.LocalCommands;
import org.nyala.process.Processes;

/**
 * A page of the documentation, whose blocks run from top to bottom as one script, beside an
 * installation of the tarball. A block that does not run says why in the page.
 */
abstract class PageTestCase {
  /** The password of every account. */
  static final String PASSWORD = "capstan";

  /** The choice to type whole pages, as before a release. */
  private static final boolean IS_WHOLE = Boolean.getBoolean("nyala.test.wholePages");

  private static final String HOME = "nyala.home";
  private static final Pattern PASSWORD_FILE = Pattern.compile("passwordFile = \"(conf/[^\"]+)\"");

  @TempDir Path folder;

  /** The installation, which is the folder that commands run in. */
  Path home;

  Typist typist;

  /** Words of the page that are others here, in the order in which they are replaced. */
  final Map<String, String> replacements = new LinkedHashMap<>();

  private final Map<String, String> environment = new HashMap<>();
  private final LocalCommands local = new LocalCommands();
  private final String page;
  private final Deque<Block> blocks;
  private final List<String> failures = new ArrayList<>();
  private String shown = "";
  private int run;
  private int notRun;
  private int leftOut;

  /**
   * Reads a page.
   *
   * @param page its name
   */
  PageTestCase(String page) throws IOException {
    this.page = page;
    this.blocks = new ArrayDeque<>(DocumentedPage.blocks(page));
  }

  @BeforeEach
  final void install() throws Exception {
    home = Tarball.unpack(folder.resolve("opt"));
    Path programs = Files.createDirectory(folder.resolve("programs"));
    environment.put("PATH", programs + ":/usr/sbin:/usr/bin:/sbin:/bin");
    environment.put("HOME", folder.toString());
    environment.put("TERM", "dumb");
    environment.put("LDAPCONF", folder.resolve("ldap.conf").toString());
    // A server lives for seconds, which the second compiler does not earn back.
    environment.put("NYALA_JAVA_OPTS", "-XX:TieredStopAtLevel=1");
    typist = new Typist(folder, environment, this::password);
    typist.enter(home);
    write("ldap.conf", "URI ldap://127.0.0.1:1389\n");
  }

  @AfterEach
  final void leave() throws Exception {
    typist.close();
  }

  /** Returns the answer to a question of a command. */
  String password(String question, String command) {
    return PASSWORD;
  }

  /** Returns whether a command of the page is typed only if whole pages are. */
  boolean isLeftOut(String command) {
    return false;
  }

  /**
   * Writes the files of passwords that configurations of the page name, and another one, in the
   * installation.
   */
  final void writePasswordFiles(String configuration) throws IOException {
    StringBuilder all = new StringBuilder(configuration);
    blocks.forEach(each -> each.text().forEach(line -> all.append(line).append('\n')));
    Matcher named = PASSWORD_FILE.matcher(all);
    while (named.find()) {
      Files.writeString(home.resolve(named.group(1)), PASSWORD + "\n");
    }
  }

  /** Writes a file below the folder of the test. */
  final Path write(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  /** Makes a program that commands find first. */
  final void program(String name, String command) throws IOException {
    Path file = write("programs/" + name, "#!/bin/sh\n" + command + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** Has names of absolute paths mean those below the folder of the test. */
  final void move(String... paths) {
    for (String path : paths) {
      replacements.put(path, folder + path);
    }
  }

  /**
   * Makes a certificate of this machine, which signs itself: {@code NAME.pem}, {@code NAME.key}.
   */
  final void certify(String name) throws Exception {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Processes.run(
            folder,
            Map.of(),
            List.of(
                "/usr/bin/openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-days",
                "30",
                "-subj",
                "/CN=localhost",
                "-addext",
                "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-keyout",
                file + ".key",
                "-out",
                file + ".pem"))
        .shouldSucceed();
  }

  /**
   * Runs the blocks of a page up to one, or to the last one. What fails is told by {@link #end}.
   *
   * @param end the beginning of the block that does not run yet; empty for none
   */
  final void runUntil(String end) throws Exception {
    while (!blocks.isEmpty()
        && (end.isEmpty() || !blocks.getFirst().text().getFirst().startsWith(end))) {
      Block block = shortened(blocks.removeFirst());
      if (!block.isRun()) {
        notRun++;
        continue;
      }
      if (block.text().isEmpty()) {
        leftOut++;
        continue;
      }
      try {
        run(block.with(replacements));
      } catch (AssertionError e) {
        failures.add("line " + block.line() + ": " + e.getMessage());
        System.out.println(failures.getLast());
      }
      run++;
    }
  }

  /** Leaves out commands, with the lines that continue them. */
  private Block shortened(Block block) {
    if (IS_WHOLE || block.kind() != DocumentedPage.Kind.SHELL) {
      return block;
    }
    List<String> lines = new ArrayList<>();
    boolean isOut = false;
    boolean continues = false;
    for (String line : block.text()) {
      isOut = continues ? isOut : isLeftOut(line);
      continues = line.endsWith("\\");
      if (!isOut) {
        lines.add(line);
      }
    }
    return block.of(lines);
  }

  private void run(Block block) throws Exception {
    switch (block.kind()) {
      case SHELL -> shown = typist.type(block);
      case OUTPUT -> Typist.shouldShow(block, shown);
      case RULES -> rules(block);
      case LDIF -> ldif(block);
      case CONFIGURATION -> configuration(block);
      case SLAPD -> slapd(block);
    }
  }

  /** Runs the rest of the page; asserts that nothing has failed, and prints how much has run. */
  final void end() throws Exception {
    runUntil("");
    System.out.printf(
        "%s: %d blocks run, %d say why they do not, %d left out of the short form%n",
        page, run, notRun, leftOut);
    assertThat(failures).isEmpty();
  }

  /** Has the program check access rules. */
  void rules(Block block) throws Exception {
    Path file = write("checked.rules", block.file());
    check("access", "check", file.toString(), "--config=" + home.resolve("conf/nyala.conf"));
  }

  /** Has the program check lines of the configuration, after those in force. */
  void configuration(Block block) throws Exception {
    boolean isWhole = block.text().getFirst().startsWith("nyala");
    String lines = isWhole ? block.file() : "nyala {\n" + block.file() + "}\n";
    Path file = home.resolve("conf/checked.conf");
    Files.writeString(file, checkedConfiguration() + lines);
    check("config", "check", "--config=" + file);
  }

  /** Returns the configuration to which lines of the page are added. */
  String checkedConfiguration() throws IOException {
    return Files.readString(home.resolve("conf/nyala.conf"));
  }

  /** Runs a command of the installation in this process, which takes a tenth of the time. */
  private void check(String... command) {
    System.setProperty(HOME, home.toString());
    try {
      assertThat(local.run(command))
          .as("%s: %s%s", String.join(" ", command), local.out(), local.err())
          .isZero();
    } finally {
      System.clearProperty(HOME);
    }
  }

  /** Sends changes as the root account. */
  void ldif(Block block) throws Exception {
    Path file = write("changes.ldif", block.file());
    typist.type("ldapmodify -a -x -D cn=admin,dc=example,dc=com -w " + PASSWORD + " -f " + file);
  }

  /** Has slapd check lines of its configuration, those of a database. */
  void slapd(Block block) throws Exception {
    Path file =
        write(
            "checked/slapd.conf",
            """
            include /etc/ldap/schema/core.schema
            modulepath /usr/lib/ldap
            moduleload back_mdb
            database mdb
            suffix "dc=example,dc=com"
            rootdn "cn=admin,dc=example,dc=com"
            directory %s
            %s
            """
                .formatted(folder.resolve("checked"), block.file()));
    typist.type("slaptest -u -f " + file);
  }
}
