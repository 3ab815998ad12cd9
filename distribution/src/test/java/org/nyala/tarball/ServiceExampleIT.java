package org.nyala.tarball;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.DocumentedPage;
import org.nyala.process.FreePorts;
import org.nyala.process.Processes;

/**
 * Types the manual's example of a service, with its paths below a folder. Programs of this test
 * stand for systemd, and start the unit that the page has installed, as its user and by its command
 * line.
 *
 * <p>The page gives files to another user, which only root can do: for all others both users are
 * the one of this test.
 */
class ServiceExampleIT {
  private static final boolean IS_ROOT = "root".equals(System.getProperty("user.name"));
  private static final String BEGIN = "tar -xzf nyala-VERSION";
  private static final Pattern PATHS =
      Pattern.compile("(?<![\\w/.])/(?=(opt|etc|usr/lib/sysusers\\.d|var|run)\\b)");
  private static final Pattern LINE =
      Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}[+-]\\d{4} [A-Z]+ .*");

  /** Starts what the unit says; Type=notify has systemctl wait until the server is ready. */
  private static final String SYSTEMCTL =
      """
      #!/bin/sh
      set -eu
      unit=FOLDER/etc/systemd/system/nyala.service
      key() { sed -n "s/^$1=//p" $unit | sed 's#/opt/#FOLDER/opt/#; s#/etc/#FOLDER/etc/#'; }
      [ "$*" = daemon-reload ] && exit
      [ "$*" = "enable --now nyala" ]
      [ "$(key User)" = nyala ]
      for folder in var/lib/$(key StateDirectory) var/log/$(key LogsDirectory) run/$(key RuntimeDirectory); do
        install -d -o USER -g GROUP -m 700 FOLDER/$folder
      done
      RUN env "$(key Environment)" $(key ExecStart) >FOLDER/journal 2>&1 &
      echo $! >FOLDER/pid
      for i in $(seq 600); do
        grep -q 'nyala ready on ldaps' FOLDER/journal && exit
        sleep 0.1
      done
      cat FOLDER/journal
      exit 1
      """;

  @TempDir Path folder;
  private String owner = "root";
  private String user = "nobody";
  private String group = "nogroup";
  private String runAs = "runuser -u nobody --";

  @BeforeEach
  void prepare() throws IOException {
    if (!IS_ROOT) {
      PosixFileAttributes own = Files.readAttributes(folder, PosixFileAttributes.class);
      owner = own.owner().getName();
      user = owner;
      group = own.group().getName();
      runAs = "env";
    }
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    for (String name :
        List.of("opt", "etc/systemd/system", "usr/lib/sysusers.d", "var/lib", "var/log", "run")) {
      Files.createDirectories(folder.resolve(name));
    }
    program(
        "systemctl",
        SYSTEMCTL
            .replace("FOLDER", folder.toString())
            .replace("USER", user)
            .replace("GROUP", group)
            .replace("RUN ", runAs + ' '));
    program(
        "systemd-sysusers", "#!/bin/sh\nexec test -s " + folder + "/usr/lib/sysusers.d/nyala.conf");
    program("journalctl", "#!/bin/sh\nexec cat " + folder + "/journal");
    Files.writeString(
        folder.resolve("acme.schema"),
        "attributetype ( 1.3.6.1.4.1.55555.1.1 NAME 'acmeBadge' SUP name )\n");
    Files.writeString(
        folder.resolve("people.ldif"),
        """
        dn: dc=example,dc=com
        objectClass: domain
        objectClass: extensibleObject
        dc: example
        acmeBadge: B-1
        """);
  }

  private void program(String name, String text) throws IOException {
    Path file = folder.resolve("programs").resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @AfterEach
  void stop() throws Exception {
    Path pid = folder.resolve("pid");
    if (Files.exists(pid)) {
      run("kill $(cat pid); while kill -0 $(cat pid) 2>/dev/null; do sleep 0.1; done");
    }
  }

  private Processes.Result run(String script) throws Exception {
    String path = folder.resolve("programs") + ":/usr/sbin:/usr/bin:/sbin:/bin";
    return Processes.run(
        folder, Map.of("PATH", path, "LDAPNOINIT", "1"), List.of("/bin/sh", "-euc", script));
  }

  /** Returns the page's lines, for this folder, free ports and a user that exists. */
  private String script() throws IOException {
    String text =
        DocumentedPage.blocks("manual.adoc").stream()
            .filter(block -> block.text().getFirst().startsWith(BEGIN))
            .findFirst()
            .orElseThrow()
            .file();
    String version = Tarball.file().getFileName().toString().replace("-linux-x64.tar.gz", "");
    text =
        text.replace("nyala-VERSION-linux-x64.tar.gz", Tarball.file().toString())
            .replace("nyala-VERSION", version)
            .replaceAll("runuser -u nyala --", runAs)
            .replaceAll("-o root\\b", "-o " + owner)
            .replaceAll("-o nyala\\b", "-o " + user)
            .replaceAll("-g nyala\\b", "-g " + group)
            .replaceAll("root:nyala\\b", owner + ':' + group)
            .replace(
                "/opt/nyala/bin/nyala password >", "echo capstan | /opt/nyala/bin/nyala password >")
            .replace(" -W ", " -w capstan ");
    for (String port : List.of("1389", "1636")) {
      text = text.replace(":" + port, ":" + FreePorts.take());
    }
    String moved = PATHS.matcher(text).replaceAll(folder + "/");
    // Root runs it: nothing of this machine may be meant.
    assertThat(moved)
        .doesNotContainPattern("(?<![\\w/.])/(bin|boot|etc|home|lib|opt|root|run|srv|usr|var)\\b");
    return moved;
  }

  private Map<String, String> modes() throws Exception {
    Map<String, String> modes = new TreeMap<>();
    run("find opt/nyala/ etc/nyala var/lib/nyala var/log/nyala -printf '%p %u:%g %m\\n'")
        .shouldSucceed()
        .out()
        .lines()
        .forEach(
            line ->
                modes.put(
                    line.substring(0, line.indexOf(' ')), line.substring(line.indexOf(' ') + 1)));
    return modes;
  }

  @Test
  void shouldServeWhatThePageHasInstalled() throws Exception {
    Processes.Result typed = run(script()).shouldSucceed();
    assertThat(typed.out())
        .contains(
            "the configuration is sound",
            "imported 1 of 1 entries",
            "dn: dc=example,dc=com",
            "acmeBadge: B-1",
            "nyala ready on ldap://127.0.0.1:",
            "nyala ready on ldaps://");
    assertThat(Files.readAllLines(folder.resolve("journal")))
        .isNotEmpty()
        .allSatisfy(line -> assertThat(line).matches(LINE));
    Map<String, String> modes = modes();
    assertThat(modes)
        .containsEntry("etc/nyala", owner + ':' + group + " 750")
        .containsEntry("etc/nyala/server.key", owner + ':' + group + " 640")
        .containsEntry("etc/nyala/root-password", owner + ':' + group + " 640")
        .containsEntry("etc/nyala/schema/acme.schema", owner + ':' + group + " 640")
        .containsEntry("var/lib/nyala/data.mdb", user + ':' + group + " 600")
        .containsEntry("var/log/nyala/security.log", user + ':' + group + " 600");
    // The server, as another user, can write to nothing of the installation.
    String installed =
        (IS_ROOT ? "root:root" : owner + ':' + group) + " ([1-7]?[0-7][0145]{2}|777)";
    assertThat(modes.keySet()).anyMatch(file -> file.startsWith("opt/nyala/runtime/"));
    modes.forEach(
        (file, mode) -> {
          if (file.startsWith("opt/")) {
            assertThat(mode).as(file).matches(installed);
          }
        });
  }
}
