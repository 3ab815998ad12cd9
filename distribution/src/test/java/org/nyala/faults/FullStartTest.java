package org.nyala.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.Processes;
import org.nyala.process.ProgramJvm;
import org.nyala.process.ServerProcess;
import org.nyala.service.RunDirectory;

/**
 * Starts servers on full disks: file systems that only the server sees, which takes the right to
 * mount.
 */
class FullStartTest {
  private static final String TOP = "dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n";

  @TempDir Path folder;

  private static String quoted(List<String> command) {
    return "'" + String.join("' '", command) + "'";
  }

  private static String fill(Path disk) {
    StringBuilder script = new StringBuilder("{ ");
    for (String size : List.of("1M", "4k", "4k")) {
      script.append("dd if=/dev/urandom of='").append(disk).append("/fill").append(script.length());
      script.append("' bs=").append(size).append("; sync; ");
    }
    return script.append("} 2> /dev/null; ").toString();
  }

  /** Returns the commands that serve until the first start is over, and stop that server. */
  private String serveOnce(Path disk) {
    String waiting = "until [ -e '" + disk + "/run/nyala.spare' ]; do sleep 0.1; done; ";
    return "{ "
        + quoted(ServerProcess.command(folder))
        + " > /dev/null & pid=$!; "
        + waiting
        + "kill $pid; wait $pid; } && ";
  }

  /** Imports an entry, fills the disk, and serves. */
  private ServerProcess start(String mount, Path disk, String before) throws Exception {
    Path configuration = ServerProcess.configure(folder, "");
    Path ldif = Files.writeString(folder.resolve("top.ldif"), TOP);
    List<String> arguments = List.of("import", "--config=" + configuration, ldif.toString());
    List<String> script = new ArrayList<>(List.of("unshare", "-m", "sh", "-c"));
    script.add(
        mount
            + " && "
            + quoted(ProgramJvm.command(List.of(), arguments))
            + " > /dev/null && "
            + before
            + fill(disk)
            + "exec "
            + quoted(ServerProcess.command(folder)));
    return ServerProcess.start(folder, Map.of(), script);
  }

  private static void assertServes(ServerProcess server) throws Exception {
    try (LDAPConnection client = server.client("cn=admin", "admin")) {
      for (int i = 0; i < 300; i++) {
        assertThat(client.getEntry("dc=example,dc=com")).isNotNull();
        try {
          client.modify(
              "dc=example,dc=com",
              new Modification(ModificationType.REPLACE, "description", "change " + i));
        } catch (LDAPException e) {
          assertThat(e.getResultCode()).isEqualTo(ResultCode.UNAVAILABLE);
        }
      }
    }
  }

  @Test
  void shouldServeReadsFromAFullFileSystem() throws Exception {
    Path disk = Files.createDirectory(folder.resolve("data"));
    String mount = "mount -t tmpfs -o size=16m tmpfs '" + disk + "'";
    assumeThat(Processes.succeeds("unshare", "-m", "sh", "-c", mount)).as("may mount").isTrue();
    try (ServerProcess server = start(mount, disk, "")) {
      assertServes(server);
      assertThat(server.log()).contains("serving without ", "the disk is full");
    }
  }

  /** Commands find the server: the start before has kept room for its files. */
  @Test
  void shouldTellOfItselfOnAFullFileSystem() throws Exception {
    Path disk = Files.createDirectory(folder.resolve("data"));
    String mount = "mount -t tmpfs -o size=16m tmpfs '" + disk + "'";
    assumeThat(Processes.succeeds("unshare", "-m", "sh", "-c", mount)).as("may mount").isTrue();
    try (ServerProcess server = start(mount, disk, serveOnce(disk))) {
      assertServes(server);
      Path seen = Path.of("/proc", Long.toString(server.pid()), "root");
      RunDirectory run = new RunDirectory(seen.resolve(Path.of("/").relativize(disk)));
      assertThat(run.holder()).isPresent();
      assertThat(run.holder().get().pid()).isEqualTo(server.pid());
      assertThat(run.holder().get().isReady()).isTrue();
      assertThat(server.log()).doesNotContain("serving without ");
    }
  }

  /** Linux can write to a mapped page of a full Btrfs from 6.16 on. */
  @Test
  void shouldServeReadsFromAFullBtrfs() throws Exception {
    String[] version = System.getProperty("os.version").split("[^0-9]+", -1);
    int kernel = Integer.parseInt(version[0]) * 1000 + Integer.parseInt(version[1]);
    assumeThat(kernel).isGreaterThanOrEqualTo(6016);
    Path disk = Files.createDirectory(folder.resolve("data"));
    Path image = folder.resolve("btrfs.img");
    boolean isMade =
        Processes.succeeds("truncate", "-s", "160M", image.toString())
            && Processes.succeeds("mkfs.btrfs", "-q", image.toString());
    String mount = "mount -o loop '" + image + "' '" + disk + "'";
    assumeThat(isMade && Processes.succeeds("unshare", "-m", "sh", "-c", mount))
        .as("may mount")
        .isTrue();
    try (ServerProcess server = start(mount, disk, "")) {
      assertServes(server);
    }
  }
}
