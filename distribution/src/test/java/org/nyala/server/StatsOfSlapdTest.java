package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.config.ConfigurationFile;
import org.nyala.core.TestCertificates;
import org.nyala.error.Installation;
import org.nyala.process.Processes;
import org.nyala.process.ServerProcess;
import org.nyala.process.SlapdProcess;

/** Compares the lines of the access log with those of Debian's slapd for the same clients. */
class StatsOfSlapdTest {
  private static final String ROOT = "-x -D cn=admin,dc=example,dc=com -w secret";
  private static final String ANN = "-x -D uid=ann,dc=example,dc=com -w secret";
  private static final String ENTRIES =
      """
      dn: dc=example,dc=com
      objectClass: domain
      dc: example

      dn: uid=ann,dc=example,dc=com
      objectClass: account
      objectClass: simpleSecurityObject
      uid: ann
      userPassword: secret

      """;

  /** The clients, each of which opens one connection: LDAP, LDAPS and LDAPI are URLs. */
  private static final List<String> CLIENTS =
      List.of(
          "ldapadd " + ROOT + " -H LDAP -f ENTRIES",
          "ldapwhoami -ZZ " + ANN + " -H LDAP",
          "ldapwhoami " + ANN + " -H LDAPS",
          "ldapwhoami -Q -Y EXTERNAL -H LDAPI",
          "ldapwhoami " + ANN + " -H LDAPI",
          "ldapwhoami -x -D uid=ann,dc=example,dc=com -w wrong -H LDAP",
          "ldapwhoami -x -H LDAP",
          "ldapexop -x -H LDAP cancel 7",
          "ldapexop -x -H LDAP 1.2.3",
          "ldappasswd " + ROOT + " -s new uid=ann,dc=example,dc=com -H LDAP",
          "ldapsearch " + ROOT + " -H LDAP -b dc=example,dc=com -s base (objectClass=*) 1.1",
          "ldapcompare " + ROOT + " -H LDAP uid=ann,dc=example,dc=com uid:ann",
          "ldapmodrdn " + ROOT + " -H LDAP -r uid=ann,dc=example,dc=com uid=bob",
          "ldapdelete " + ROOT + " -H LDAP uid=bob,dc=example,dc=com");

  private static final String SLAPD =
      """
      include /etc/ldap/schema/core.schema
      include /etc/ldap/schema/cosine.schema
      modulepath /usr/lib/ldap
      moduleload back_mdb
      loglevel stats
      TLSCertificateFile CERTIFICATE
      TLSCertificateKeyFile CERTIFICATE
      database mdb
      suffix "dc=example,dc=com"
      rootdn "cn=admin,dc=example,dc=com"
      rootpw secret
      directory FOLDER/data
      """;

  private static final Pattern LINE = Pattern.compile("conn=([0-9]+) .*");

  @TempDir Path folder;

  private Path certificate;

  private void converse(List<String> urls) throws Exception {
    Path entries = Files.writeString(folder.resolve("entries.ldif"), ENTRIES);
    for (String client : CLIENTS) {
      List<String> command = new ArrayList<>();
      for (String word : client.split(" ", -1)) {
        command.add(
            switch (word) {
              case "LDAP" -> urls.get(0);
              case "LDAPS" -> urls.get(1);
              case "LDAPI" -> urls.get(2);
              case "ENTRIES" -> entries.toString();
              default -> word;
            });
      }
      Processes.run(folder, Map.of("LDAPTLS_REQCERT", "never"), command);
    }
  }

  private String slapd() throws Exception {
    Path own = Files.createDirectories(folder.resolve("slapd/data")).getParent();
    String text =
        SLAPD.replace("CERTIFICATE", certificate.toString()).replace("FOLDER", own.toString());
    Path conf = Files.writeString(own.resolve("slapd.conf"), text);
    try (SlapdProcess slapd = SlapdProcess.start(own, conf)) {
      converse(slapd.urls());
      eventually(
          "all is logged",
          () ->
              slapd.log().lines().filter(line -> line.contains(" closed")).count()
                  == CLIENTS.size());
      return slapd.log();
    }
  }

  private String nyala() throws Exception {
    Path file =
        ServerProcess.configure(
            folder,
            """
            listeners = ["ldap://127.0.0.1:0", "ldaps://127.0.0.1:0", "ldapi://%s"]
            suffixes = ["dc=example,dc=com"]
            root { dn = "cn=admin,dc=example,dc=com", password = secret }
            tls { certificate = "%s", key = "%s" }
            log.access.format = stats
            """
                .formatted(folder.resolve("socket"), certificate, certificate));
    try (RunningServer server =
        RunningServer.start(ConfigurationFile.read(file, folder), Installation.current())) {
      converse(server.listeners());
      eventually("all are gone", () -> server.served().wire().connectionCount() == 0);
    }
    return Files.readString(folder.resolve("logs/access.log"));
  }

  /**
   * Returns the lines by connection, in the order of text, because slapd's threads overtake each
   * other; without numbers that differ from run to run.
   */
  private static List<List<String>> said(String log) {
    Map<Integer, List<String>> byConnection = new TreeMap<>();
    for (String line : log.lines().toList()) {
      Matcher found = LINE.matcher(line);
      if (found.find() && !line.contains("do_extended:") && !line.contains("deferring")) {
        byConnection
            .computeIfAbsent(Integer.valueOf(found.group(1)), _ -> new ArrayList<>())
            .add(plain(found.group()));
      }
    }
    byConnection.values().forEach(lines -> lines.sort(null));
    return List.copyOf(byConnection.values());
  }

  private static String plain(String line) {
    return line.replaceFirst("conn=[0-9]+ ", "")
        .replaceFirst("fd=[0-9]+", "fd=")
        .replaceAll("IP=127[.]0[.]0[.]1:[0-9]+", "IP=")
        .replaceAll("PATH=[^ )]+", "PATH=")
        .replaceAll("(qtime|etime)=[0-9.]+", "$1=")
        // Each side chooses the cipher by itself.
        .replaceFirst("tls_proto=.*", "")
        .replaceAll("ssf=(128|256)", "ssf=TLS")
        .replaceFirst(" text=.*", " text=")
        // The entry that the names lead to is told besides.
        .replaceFirst("^(op=[0-9]+ BIND authcid=.*) entry=.*", "$1");
  }

  @Test
  void shouldSayWhatSlapdSays() throws Exception {
    certificate =
        TestCertificates.make(folder, "localhost", "-keyalg RSA -keysize 2048")
            .pem(folder.resolve("server.pem"));

    List<List<String>> expected = said(slapd());

    assertThat(expected).hasSize(CLIENTS.size());
    assertThat(said(nyala())).containsExactlyElementsOf(expected);
  }
}
