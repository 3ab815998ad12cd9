package org.nyala.process;

import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.nyala.cli.Main;
import org.nyala.config.ConfigurationFile;
import org.nyala.config.NyalaConfig;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.server.RunningServer;

/**
 * A server in this process with the data of an LDIF file of the tests, readable by anyone unless
 * access rules decide, which binds do not change.
 */
public final class ServedDirectory implements AutoCloseable {
  private static final String CONFIGURATION =
      """
      nyala {
        listeners = ["ldap://127.0.0.1:0"]
        data = data
        root { dn = "cn=admin,dc=example,dc=com", password = admin }
        access.ACCESS
        password.upgradeAtBind = false
        dispatch.strategy = STRATEGY
      }
      """;

  private final RunningServer server;

  private ServedDirectory(RunningServer server) {
    this.server = server;
  }

  public static ServedDirectory start(Path folder, String resource) throws Exception {
    return start(folder, resource, "adaptive");
  }

  public static ServedDirectory start(Path folder, String resource, String strategy)
      throws Exception {
    return start(folder, resource, strategy, "anonymousRead = true");
  }

  /** Serves data to those who may read them by a file of access rules. */
  public static ServedDirectory startRuled(Path folder, String resource, Path rules)
      throws Exception {
    return start(folder, resource, "adaptive", "rules = \"%s\"".formatted(rules));
  }

  private static ServedDirectory start(Path folder, String resource, String strategy, String access)
      throws Exception {
    Path ldif = folder.resolve("import.ldif");
    try (InputStream in = ServedDirectory.class.getResourceAsStream(resource)) {
      Files.copy(in, ldif);
    }
    Path file =
        Files.writeString(
            folder.resolve("test.conf"),
            CONFIGURATION.replace("STRATEGY", strategy).replace("ACCESS", access));
    NyalaConfig configuration = ConfigurationFile.read(file, folder);
    int exitCode =
        Main.commandLine()
            .execute(
                "import",
                "--config",
                file.toString(),
                "--data",
                configuration.data().toString(),
                ldif.toString());
    if (exitCode != ExitCode.OK) {
      throw new AssertionError("the import of " + resource + " failed");
    }
    return new ServedDirectory(RunningServer.start(configuration, Installation.current()));
  }

  /** Serves the data of a folder again after an earlier server. */
  public static ServedDirectory restart(Path folder) throws Exception {
    NyalaConfig configuration = ConfigurationFile.read(folder.resolve("test.conf"), folder);
    return new ServedDirectory(RunningServer.start(configuration, Installation.current()));
  }

  public String url() {
    List<String> listeners = server.listeners();
    return listeners.getFirst();
  }

  public int port() {
    return URI.create(url()).getPort();
  }

  @Override
  public void close() {
    server.close();
  }
}
