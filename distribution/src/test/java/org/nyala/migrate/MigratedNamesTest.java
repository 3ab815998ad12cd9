package org.nyala.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.config.ConfigurationFile;
import org.nyala.error.Installation;
import org.nyala.process.LocalCommands;
import org.nyala.process.Processes;
import org.nyala.process.SlapdProcess;
import org.nyala.server.RunningServer;

/** Compares who clients are for Debian's slapd and for the server that its configuration makes. */
class MigratedNamesTest {
  private static final String CONFIGURATION =
      """
      include /etc/ldap/schema/core.schema
      include /etc/ldap/schema/cosine.schema
      modulepath /usr/lib/ldap
      moduleload back_mdb
      TLSCertificateFile FOLDER/server.pem
      TLSCertificateKeyFile FOLDER/server.key
      TLSCACertificateFile FOLDER/authority.pem
      TLSVerifyClient try
      authz-regexp "^email=([^,@]+)@example.com,cn=[^,]+,ou=people,o=acme$" "uid=$1,dc=example,dc=com"
      authz-regexp "^cn=([^,]+),ou=hosts,o=acme$" "cn=$1,ou=hosts,dc=example,dc=com"
      authz-regexp "gidNumber=[0-9]+\\\\+uidNumber=[0-9]+,cn=peercred,cn=external,cn=auth"
        "cn=local,dc=example,dc=com"
      database mdb
      suffix "dc=example,dc=com"
      directory FOLDER/data
      """;

  /** The subjects of the clients' certificates. */
  private static final List<String> SUBJECTS =
      List.of(
          "/O=Acme/OU=People/CN=Ann Lee/emailAddress=ann@example.com",
          "/O=ACME/OU=Hosts/CN=web.example.com",
          "/O=Acme/OU=Printers/CN=p1");

  @TempDir Path folder;

  private void openssl(String... words) throws Exception {
    List<String> command = new ArrayList<>(List.of("/usr/bin/openssl"));
    command.addAll(List.of(words));
    Processes.run(folder, Map.of(), command).shouldSucceed();
  }

  private void certify() throws Exception {
    make("authority", "/CN=authority", "req", "-x509", "-days", "30", "-out", "authority.pem");
    issue("server", "/CN=localhost");
    for (int i = 0; i < SUBJECTS.size(); i++) {
      issue("client" + i, SUBJECTS.get(i));
    }
  }

  private void make(String name, String subject, String... words) throws Exception {
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("-subj", subject, "-newkey", "ec", "-nodes", "-keyout", name + ".key"));
    all.addAll(List.of("-pkeyopt", "ec_paramgen_curve:P-256"));
    openssl(all.toArray(String[]::new));
  }

  private void issue(String name, String subject) throws Exception {
    make(name, subject, "req", "-new", "-out", name + ".csr");
    openssl(
        "x509",
        "-req",
        "-days",
        "30",
        "-in",
        name + ".csr",
        "-CA",
        "authority.pem",
        "-CAkey",
        "authority.key",
        "-CAcreateserial",
        "-out",
        name + ".pem");
  }

  private List<String> whoAreThey(String ldap, String ldapi) throws Exception {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < SUBJECTS.size(); i++) {
      Map<String, String> environment =
          Map.of(
              "LDAPTLS_REQCERT", "never",
              "LDAPTLS_CERT", folder.resolve("client" + i + ".pem").toString(),
              "LDAPTLS_KEY", folder.resolve("client" + i + ".key").toString());
      all.add(name(environment, "-ZZ", "-H", ldap));
    }
    all.add(name(Map.of(), "-H", ldapi));
    return all;
  }

  /* In small letters, by which names are compared. */
  private String name(Map<String, String> environment, String... options) throws Exception {
    List<String> command = new ArrayList<>(List.of("ldapwhoami", "-Q", "-Y", "EXTERNAL"));
    command.addAll(List.of(options));
    return Processes.run(folder, environment, command)
        .shouldSucceed()
        .out()
        .strip()
        .toLowerCase(Locale.ROOT)
        .replace("emailaddress=", "email=");
  }

  private List<String> namesOfSlapd(Path conf) throws Exception {
    try (SlapdProcess slapd = SlapdProcess.start(folder, conf)) {
      return whoAreThey(slapd.urls().getFirst(), slapd.urls().getLast());
    }
  }

  private List<String> namesOfNyala(Path conf) throws Exception {
    LocalCommands nyala = new LocalCommands();
    Path target = folder.resolve("etc");
    int code =
        nyala.run(
            "migrate",
            conf.toString(),
            "--to=" + target,
            "--data=" + folder.resolve("nyala"),
            "--write");
    assertThat(code).as(nyala.out() + nyala.err()).isZero();
    Path made = target.resolve("nyala.conf");
    Files.writeString(
        made,
        Files.readString(made)
            .replaceFirst(
                "listeners = .*",
                "listeners = [\"ldap://127.0.0.1:0\", \"ldapi://"
                    + folder.resolve("socket")
                    + "\"]"));
    try (RunningServer server =
        RunningServer.start(ConfigurationFile.read(made, folder), Installation.current())) {
      return whoAreThey(server.listeners().get(0), server.listeners().get(1));
    }
  }

  @Test
  void shouldTakeClientsForWhomSlapdTakesThem() throws Exception {
    certify();
    Files.createDirectory(folder.resolve("data"));
    Path conf =
        Files.writeString(
            folder.resolve("slapd.conf"), CONFIGURATION.replace("FOLDER", folder.toString()));

    List<String> expected = namesOfSlapd(conf);

    assertThat(expected)
        .startsWith(
            "dn:uid=ann,dc=example,dc=com", "dn:cn=web.example.com,ou=hosts,dc=example,dc=com")
        .endsWith("dn:cn=local,dc=example,dc=com");
    assertThat(namesOfNyala(conf)).isEqualTo(expected);
  }
}
