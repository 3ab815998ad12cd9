package org.nyala.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import java.io.BufferedReader;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code nyala serve} in a process of its own, from the class path of the tests. */
final class ServingProcess implements AutoCloseable {
  private static final String READY = "nyala ready on ";
  private static final int STOP_SECONDS = 60;

  private final Process process;
  private final int port;

  private ServingProcess(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /** Starts a server and waits until it takes connections. */
  static ServingProcess start(Path configuration) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "serve",
            "--config=" + configuration));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    // Left open: the server says no more than this.
    BufferedReader output = process.inputReader(UTF_8);
    String line = output.readLine();
    assertThat(line).startsWith(READY);
    return new ServingProcess(process, URI.create(line.substring(READY.length())).getPort());
  }

  LDAPConnection connect(String dn, String password) throws LDAPException {
    return new LDAPConnection("127.0.0.1", port, dn, password);
  }

  long pid() {
    return process.pid();
  }

  /** Stops it as a service manager does. */
  void stop() throws InterruptedException {
    process.destroy();
    assertThat(process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)).as("it stops").isTrue();
    assertThat(process.exitValue()).isZero();
  }

  /** Stops it in the middle of what it does. */
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  @Override
  public void close() {
    kill();
  }
}
