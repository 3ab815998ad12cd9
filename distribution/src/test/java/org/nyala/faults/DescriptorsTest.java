package org.nyala.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.Processes;
import org.nyala.process.ServerProcess;

/** Starts servers with few file descriptors. */
class DescriptorsTest {
  @TempDir Path folder;

  private List<String> command(int descriptors) throws Exception {
    ServerProcess.configure(folder, "limits.connections = 5000");
    List<String> command =
        new ArrayList<>(List.of("sh", "-c", "ulimit -n " + descriptors + " && exec \"$@\"", "sh"));
    command.addAll(ServerProcess.command(folder));
    return command;
  }

  /** Enough for the program and its files, each of which may be open, and for no client. */
  @Test
  void shouldSayThatThereAreTooFew() throws Exception {
    int libraries = String.join(":", ServerProcess.command(folder)).split("[.]jar").length;
    Processes.Result result =
        Processes.run(folder, Map.of("PATH", "/usr/bin:/bin"), command(libraries + 40));
    assertThat(result.exitCode()).as(result.toString()).isEqualTo(ExitCode.FAILED);
    assertThat(result.err())
        .contains("nyala: the process may have too few file descriptors: ")
        .contains("raise the limit (LimitNOFILE");
    assertThat(result.out()).doesNotContain("nyala ready");
  }

  @Test
  void shouldWarnIfThereAreFewerThanConfigured() throws Exception {
    try (ServerProcess server = ServerProcess.start(folder, Map.of(), command(600));
        LDAPConnection client = server.client("cn=admin", "admin")) {
      assertThat(client.isConnected()).isTrue();
      assertThat(server.log())
          .contains("the file descriptors of the process suffice for ")
          .contains("not for limits.connections = 5000: ");
    }
  }
}
