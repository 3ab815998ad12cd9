package org.nyala.sasl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.sun.security.auth.module.Krb5LoginModule;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.security.auth.Subject;
import org.nyala.process.FreePorts;
import org.nyala.process.Processes;

/** A realm of MIT Kerberos in a folder: its KDC, its users with keys for them, and one server. */
public final class KerberosRealm implements AutoCloseable {
  static final String REALM = "EXAMPLE.COM";
  static final String SERVICE = "ldap/localhost@" + REALM;

  private final Path folder;
  private final Map<String, String> environment;
  private final Process kdc;

  private KerberosRealm(Path folder, Map<String, String> environment, Process kdc) {
    this.folder = folder;
    this.environment = environment;
    this.kdc = kdc;
  }

  /** Starts a realm with some users. */
  public static KerberosRealm start(Path parent, String... users) throws Exception {
    Path folder = Files.createDirectory(parent.resolve("realm"));
    int port = FreePorts.take();
    configure(folder, port);
    Map<String, String> environment =
        Map.of(
            "KRB5_CONFIG", folder.resolve("krb5.conf").toString(),
            "KRB5_KDC_PROFILE", folder.resolve("kdc.conf").toString(),
            "LDAPNOINIT", "1");
    run(folder, environment, "/usr/sbin/kdb5_util", "create", "-s", "-P", "secret");
    List<String> names = new ArrayList<>(List.of(users));
    names.add("ldap/localhost");
    for (String name : names) {
      Path keytab = folder.resolve(name.startsWith("ldap/") ? "server.keytab" : name + ".keytab");
      admin(folder, environment, "addprinc -randkey +requires_preauth " + name);
      admin(folder, environment, "ktadd -k " + keytab + " " + name);
    }
    Path log = folder.resolve("kdc.out");
    Process kdc =
        Processes.start(folder, environment, List.of("/usr/sbin/krb5kdc", "-n"), log, log);
    eventually("the KDC listens", () -> isOpen(port) || !kdc.isAlive());
    assertThat(kdc.isAlive()).as("%s", Files.readString(log)).isTrue();
    return new KerberosRealm(folder, environment, kdc);
  }

  private static void configure(Path folder, int port) throws IOException {
    Files.writeString(
        folder.resolve("krb5.conf"),
        """
        [libdefaults]
          default_realm = EXAMPLE.COM
          dns_lookup_realm = false
          dns_lookup_kdc = false
          dns_canonicalize_hostname = false
          rdns = false
          udp_preference_limit = 1
        [realms]
          EXAMPLE.COM = {
            kdc = 127.0.0.1:%d
          }
        [domain_realm]
          localhost = EXAMPLE.COM
        """
            .formatted(port));
    Files.writeString(
        folder.resolve("kdc.conf"),
        """
        [realms]
          EXAMPLE.COM = {
            database_name = %2$s/principal
            key_stash_file = %2$s/stash
            acl_file = %2$s/acl
            kdc_listen = 127.0.0.1:%1$d
            kdc_tcp_listen = 127.0.0.1:%1$d
          }
        [logging]
          kdc = FILE:%2$s/kdc.log
        """
            .formatted(port, folder));
  }

  private static boolean isOpen(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException _) {
      return false;
    }
  }

  private static Processes.Result run(
      Path folder, Map<String, String> environment, String... command) throws Exception {
    assertThat(Path.of(command[0]))
        .as("needed for this test: install the packages krb5-kdc, krb5-admin-server, krb5-user")
        .isExecutable();
    return Processes.run(folder, environment, List.of(command)).shouldSucceed();
  }

  private static void admin(Path folder, Map<String, String> environment, String query)
      throws Exception {
    Processes.Result _ = run(folder, environment, "/usr/sbin/kadmin.local", "-q", query);
  }

  /** Changes the realm with a query of kadmin. */
  void admin(String query) throws Exception {
    admin(folder, environment, query);
  }

  /** Returns the lines of a server's configuration that name its keytab. */
  public String configuration(String more) {
    return "sasl.gssapi { keytab = \"%s\", krb5Conf = \"%s\"\n%s }\n"
        .formatted(keytab("server"), folder.resolve("krb5.conf"), more);
  }

  /** Returns the file with the keys of a user. */
  public Path keytab(String user) {
    return folder.resolve(user + ".keytab");
  }

  /** Fetches a ticket for a user, and returns the environment of its programs. */
  Map<String, String> programsOf(String user) throws Exception {
    Map<String, String> own = new HashMap<>(environment);
    own.put("KRB5CCNAME", "FILE:" + folder.resolve(user + ".ccache"));
    if (Files.notExists(folder.resolve(user + ".ccache"))) {
      Processes.Result _ =
          run(folder, own, "/usr/bin/kinit", "-k", "-t", keytab(user).toString(), user);
    }
    return own;
  }

  /** Returns a user that programs of Java in this process may act as. */
  Subject login(String user) throws Exception {
    Subject subject = new Subject();
    Krb5LoginModule module = new Krb5LoginModule();
    module.initialize(
        subject,
        _ -> {},
        Map.of(),
        Map.of(
            "refreshKrb5Config", "true",
            "doNotPrompt", "true",
            "useKeyTab", "true",
            "storeKey", "true",
            "keyTab", keytab(user).toString(),
            "principal", user + "@" + REALM));
    assertThat(module.login() && module.commit()).isTrue();
    return subject;
  }

  @Override
  public void close() {
    kdc.destroy();
    eventually("the KDC has ended", () -> !kdc.isAlive());
  }
}
