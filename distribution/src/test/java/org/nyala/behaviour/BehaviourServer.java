package org.nyala.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.config.ConfigurationFile;
import org.nyala.error.Installation;
import org.nyala.process.FreePorts;
import org.nyala.process.Processes;
import org.nyala.server.RunningServer;

/** A server without data, shared by the cases of one file. */
interface BehaviourServer extends AutoCloseable {
  String ADMIN = "cn=admin,o=harbour";
  String PASSWORD = "capstan";

  String url();

  @Override
  void close();

  /** Returns a folder with definitions for tests only. */
  static Path schema(Path folder) throws IOException {
    Path schema = Files.createDirectories(folder.resolve("schema"));
    try (InputStream in = BehaviourServer.class.getResourceAsStream("harbour.schema")) {
      Files.copy(Objects.requireNonNull(in), schema.resolve("harbour.schema"));
    }
    return schema;
  }

  static BehaviourServer start(boolean slapd, Path folder, BehaviourScript script)
      throws Exception {
    return slapd
        ? new Slapd(folder, script.suffixes(), script.overlays(), null)
        : new Nyala(folder, script.suffixes(), null);
  }

  /** Starts slapd with access lines of its database. */
  static BehaviourServer slapdWith(Path folder, String suffix, String lines) throws Exception {
    return new Slapd(folder, List.of(suffix), List.of(), lines);
  }

  /** Starts Nyala with access rules. */
  static BehaviourServer nyalaWith(Path folder, String suffix, String rules) throws Exception {
    return new Nyala(folder, List.of(suffix), rules);
  }

  /** Nyala, in this process. */
  final class Nyala implements BehaviourServer {
    private static final String CONFIGURATION =
        """
        nyala {
          listeners = ["ldap://127.0.0.1:0"]
          data = data
          suffixes = [SUFFIXES]
          schema.folders = ["SCHEMA"]
          root { dn = "ADMIN", password = "PASSWORD" }
          ACCESS
          password.hashClearText = false
        }
        """;

    private final RunningServer server;

    Nyala(Path folder, List<String> suffixes, @Nullable String rules) throws IOException {
      if (rules != null) {
        Files.writeString(folder.resolve("access.rules"), rules);
      }
      String quoted = '"' + String.join("\", \"", suffixes) + '"';
      Path file =
          Files.writeString(
              folder.resolve("nyala.conf"),
              CONFIGURATION
                  .replace(
                      "ACCESS",
                      rules == null ? "access.anonymousRead = true" : "access.rules = access.rules")
                  .replace("SUFFIXES", quoted)
                  .replace("SCHEMA", schema(folder).toString())
                  .replace("ADMIN", ADMIN)
                  .replace("PASSWORD", PASSWORD));
      server = RunningServer.start(ConfigurationFile.read(file, folder), Installation.current());
    }

    @Override
    public String url() {
      List<String> listeners = server.listeners();
      return listeners.getFirst();
    }

    @Override
    public void close() {
      server.close();
    }
  }

  /** Debian's slapd, to compare its behaviour in the same cases. */
  final class Slapd implements BehaviourServer {
    private static final String FRONTEND =
        """
        include /etc/ldap/schema/core.schema
        include /etc/ldap/schema/cosine.schema
        include /etc/ldap/schema/inetorgperson.schema
        include /etc/ldap/schema/nis.schema
        include SCHEMA/harbour.schema
        modulepath /usr/lib/ldap
        moduleload back_mdb
        moduleload sssvlv
        moduleload deref
        sizelimit unlimited
        """;
    private static final String ACCESS =
        """
        access to attrs=userPassword by self =xw by anonymous auth
        access to * by * read
        """;
    private static final String DATABASE =
        """
        database mdb
        suffix "SUFFIX"
        rootdn "ADMIN"
        ROOTPW
        directory DATA
        maxsize 104857600
        index objectClass eq
        overlay sssvlv
        """;
    private static final int ATTEMPTS = 2400;
    private static final int PAUSE_MILLIS = 25;

    private final int port;
    private final Process process;

    Slapd(Path folder, List<String> suffixes, List<String> overlays, @Nullable String lines)
        throws Exception {
      StringBuilder configuration =
          new StringBuilder(FRONTEND.replace("SCHEMA", schema(folder).toString()));
      if (lines == null) {
        configuration.append(ACCESS);
      }
      for (String suffix : suffixes) {
        Path data = Files.createTempDirectory(folder, "mdb");
        boolean named = ADMIN.endsWith(suffix);
        configuration.append(
            DATABASE
                .replace("SUFFIX", suffix)
                .replace("ADMIN", ADMIN)
                .replace("ROOTPW", named ? "rootpw " + PASSWORD : "")
                .replace("DATA", data.toString()));
        overlays.forEach(overlay -> configuration.append("overlay " + overlay + "\n"));
        configuration.append(lines == null ? "" : lines);
      }
      Path file = Files.writeString(folder.resolve("slapd.conf"), configuration);
      port = FreePorts.take();
      List<String> command =
          List.of("/usr/sbin/slapd", "-d", "0", "-f", file.toString(), "-h", url());
      Path log = folder.resolve("slapd.log");
      process = Processes.start(folder, Map.of(), command, log, log);
      awaitConnection(log);
    }

    private void awaitConnection(Path log) throws IOException, InterruptedException {
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        try (Socket socket = new Socket()) {
          socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
          return;
        } catch (IOException e) {
          assertThat(process.waitFor(PAUSE_MILLIS, TimeUnit.MILLISECONDS))
              .as("slapd ended: %s", Files.readString(log))
              .isFalse();
        }
      }
      close();
      throw new AssertionError("slapd does not listen: " + Files.readString(log));
    }

    @Override
    public String url() {
      return "ldap://127.0.0.1:" + port;
    }

    @Override
    public void close() {
      process.destroy();
      process.onExit().join();
    }
  }
}
