package org.nyala.process;

import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import org.nyala.config.ConfigurationFile;
import org.nyala.config.NyalaConfig;
import org.nyala.error.Installation;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.server.RunningServer;
import org.nyala.service.Heartbeat;

/** Servers in this process, of an empty directory unless the folder has data, and their clients. */
public final class LocalServer {
  private LocalServer() {}

  /**
   * Serves the data of a folder.
   *
   * @param configuration further lines for {@link ServerProcess#configure}
   */
  public static RunningServer start(Path folder, String configuration) throws IOException {
    Path file = ServerProcess.configure(folder, configuration);
    return RunningServer.start(ConfigurationFile.read(file, folder), Installation.current());
  }

  /**
   * Serves by a configuration that a reload reads again.
   *
   * @param folder the folder that paths in it begin in
   */
  public static RunningServer startFrom(Path file, Path folder) throws IOException {
    return RunningServer.start(
        ConfigurationFile.read(file, folder),
        Installation.current(),
        () -> ConfigurationFile.read(file, folder),
        Heartbeat.none());
  }

  /** Returns a configuration with a store that cannot grow beyond a number of bytes. */
  public static NyalaConfig bounded(NyalaConfig read, int bytes) {
    LmdbSettings tiny =
        read.store().withMapSizeBytes(bytes).with(draft -> draft.maximumMapSizeBytes = bytes);
    return new NyalaConfig(
        read.data(),
        read.run(),
        read.suffixes(),
        read.ownSchema(),
        read.root(),
        read.rootAccounts(),
        read.access(),
        read.accessRules(),
        read.updates(),
        read.dispatch(),
        read.limits(),
        read.wire(),
        tiny,
        read.indexes(),
        read.attributeOptions(),
        read.secretTypes(),
        read.management(),
        read.logs(),
        read.extensions(),
        read.settings());
  }

  public static int port(RunningServer server) {
    return URI.create(server.listeners().getFirst()).getPort();
  }

  /** Returns a client that has not bound. */
  public static LDAPConnection connect(RunningServer server) throws LDAPException {
    return new LDAPConnection("127.0.0.1", port(server));
  }

  /** Returns a client of the root account. */
  public static LDAPConnection connectAsRoot(RunningServer server) throws LDAPException {
    return new LDAPConnection("127.0.0.1", port(server), "cn=admin", "admin");
  }

  /**
   * Waits until a server has counted a number of responses, which may happen a moment after a
   * client has read them.
   */
  public static void awaitResponses(RunningServer server, long responses) {
    eventually(
        responses + " responses are counted",
        () -> server.served().directory().metrics().responsesSent().sum() >= responses);
  }
}
