package org.nyala.move;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.process.FreePorts;
import org.nyala.process.Processes;

/**
 * An installation of Debian's slapd as administrators have grown it: two suffixes, an own schema,
 * overlays, limits, access rules, and some 650 entries with what slapd accepts and another server
 * may not.
 *
 * <p>Confined to one thread. Its files are below one folder: {@code slapd.conf}, the same as {@code
 * slapd.d} (cn=config), {@code schema/acme.schema}, {@code tls}, {@code data}, and the LDIF that
 * was loaded.
 */
public final class SlapdInstallation implements AutoCloseable {
  /** The suffix of the database 1. */
  public static final String EXAMPLE = ExampleEntries.SUFFIX;

  /** The suffix of the database 2. */
  public static final String PARTNERS = PartnerEntries.SUFFIX;

  /** The root account of the database 1, whose password is {@link StoredSecret#PASSWORD}. */
  public static final String EXAMPLE_ROOT = "cn=admin," + EXAMPLE;

  /** The root account of the database 2, with the same password. */
  public static final String PARTNERS_ROOT = "cn=manager," + PARTNERS;

  private static final String SBIN = "/usr/sbin/";
  private static final int ATTEMPTS = 2400;
  private static final int PAUSE_MILLIS = 25;
  private static final long SEED = 20_261_127;

  private final Path folder;
  private final int[] entries = new int[2];
  private int port;
  private @Nullable Process process;

  private SlapdInstallation(Path folder) {
    this.folder = folder;
  }

  /** Makes an installation with entries in a folder that is there; slapd does not run yet. */
  public static SlapdInstallation make(Path folder) throws Exception {
    SlapdInstallation made = empty(folder);
    byte[] certificate = Files.readAllBytes(folder.resolve("tls/server.der"));
    made.load(1, ExampleEntries.of(SEED, certificate));
    made.load(2, PartnerEntries.of(SEED));
    return made;
  }

  /** Makes the same installation without entries. */
  public static SlapdInstallation empty(Path folder) throws Exception {
    SlapdInstallation made = new SlapdInstallation(folder);
    for (String name : List.of("data/example", "data/partners", "tls", "slapd.d")) {
      Files.createDirectories(folder.resolve(name));
    }
    made.certify();
    SlapdFiles.write(folder);
    made.convert();
    return made;
  }

  /** Makes cn=config. slaptest then fails, for there are no data yet. */
  private void convert() throws Exception {
    Processes.Result tested =
        Processes.run(
            folder,
            Map.of(),
            List.of(
                SBIN + "slaptest",
                "-f",
                configuration().toString(),
                "-F",
                configurationFolder().toString()));
    assertThat(configurationFolder().resolve("cn=config.ldif"))
        .as(tested.toString())
        .isNotEmptyFile();
  }

  private void certify() throws Exception {
    run(
        "/usr/bin/openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30"
            .concat(" -subj /CN=localhost -keyout tls/server.key -out tls/server.pem")
            .split(" "));
    run("/usr/bin/openssl x509 -in tls/server.pem -outform DER -out tls/server.der".split(" "));
  }

  private void load(int database, LdifText ldif) throws Exception {
    Path file = folder.resolve("loaded-" + database + ".ldif");
    Files.writeString(file, ldif.toString());
    slapadd(database, file);
    entries[database - 1] = ldif.entries();
  }

  /**
   * Loads a file into an empty database, while slapd does not run.
   *
   * @param database 1 or 2
   */
  public void slapadd(int database, Path ldif) throws Exception {
    run(
        SBIN + "slapadd",
        "-w",
        "-S",
        "1",
        "-f",
        configuration().toString(),
        "-n",
        Integer.toString(database),
        "-l",
        ldif.toString());
  }

  /**
   * Dumps a database.
   *
   * @param database 1 or 2
   * @return the file
   */
  public Path slapcat(int database) throws Exception {
    Path file = folder.resolve("slapcat-" + database + ".ldif");
    run(
        SBIN + "slapcat",
        "-f",
        configuration().toString(),
        "-n",
        Integer.toString(database),
        "-l",
        file.toString());
    return file;
  }

  private void run(String... command) throws Exception {
    Processes.run(folder, Map.of(), List.of(command)).shouldSucceed();
  }

  /** Starts slapd by {@code slapd.conf}, on a free port, and waits until it accepts connections. */
  public void start() throws Exception {
    start("-f", configuration());
  }

  /** Starts slapd by cn=config. */
  public void startByFolder() throws Exception {
    start("-F", configurationFolder());
  }

  private void start(String option, Path configuration) throws Exception {
    port = FreePorts.take();
    List<String> command = new ArrayList<>(List.of(SBIN + "slapd", "-d", "0"));
    command.addAll(List.of(option, configuration.toString(), "-h", url()));
    Path log = folder.resolve("slapd.log");
    Process started = Processes.start(folder, Map.of(), command, log, log);
    process = started;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return;
      } catch (IOException e) {
        assertThat(started.waitFor(PAUSE_MILLIS, TimeUnit.MILLISECONDS))
            .as("slapd ended: %s", Files.readString(log))
            .isFalse();
      }
    }
    throw new AssertionError("slapd does not listen: " + Files.readString(log));
  }

  /** Stops slapd, and waits until it has ended. */
  public void stop() throws InterruptedException {
    Process running = process;
    if (running != null) {
      running.destroy();
      assertThat(running.waitFor(60, TimeUnit.SECONDS)).isTrue();
      process = null;
    }
  }

  /** Returns {@code slapd.conf}. */
  public Path configuration() {
    return folder.resolve("slapd.conf");
  }

  /** Returns the folder of cn=config. */
  public Path configurationFolder() {
    return folder.resolve("slapd.d");
  }

  /** Returns the folder with the schema file of its own. */
  public Path schema() {
    return folder.resolve("schema");
  }

  /** Returns the number of entries that were loaded into a database, 1 or 2. */
  public int entries(int database) {
    return entries[database - 1];
  }

  /** Returns the address of slapd, since it was started last. */
  public String url() {
    return "ldap://127.0.0.1:" + port;
  }

  /** Connects to slapd as somebody whose password is {@link StoredSecret#PASSWORD}. */
  public LDAPConnection client(String dn) throws LDAPException {
    return new LDAPConnection("127.0.0.1", port, dn, StoredSecret.PASSWORD);
  }

  /** Returns the DN of a person of the first suffix, whose password {@link StoredSecret#of} is. */
  public static String person(int number) {
    return ExampleEntries.person(number);
  }

  /** Ends slapd at once. */
  @Override
  public void close() {
    Process running = process;
    if (running != null) {
      running.destroyForcibly();
    }
  }
}
