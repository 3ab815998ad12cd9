package org.nyala.cli.running;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.util.json.JSONObject;
import com.unboundid.util.json.JSONValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.config.ConfigurationFile;
import org.nyala.config.NyalaConfig;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.certificate.CertificateMaker;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.process.LocalCommands;
import org.nyala.process.ServerProcess;

/** Tests {@code nyala doctor} with real conditions, beside a server and without one. */
@Timeout(300)
class DoctorCommandTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String SUFFIXES = "suffixes = [\"dc=example,dc=com\"]\n";
  private static final String DOMAIN = "dn: " + TOP + "\nobjectClass: domain\ndc: example\n\n";

  @TempDir Path folder;

  private final LocalCommands commands = new LocalCommands();

  /** A finding of the last examination. */
  private record Found(String weight, String area, String sentence, String command) {}

  private Path configure(String text) throws IOException {
    return Files.writeString(
        folder.resolve("nyala.conf"),
        "nyala {\ndata = \"" + folder.resolve("data") + "\"\n" + SUFFIXES + text + "\n}\n");
  }

  private void load(String configuration, String... entries) throws IOException {
    Path ldif = folder.resolve("entries.ldif");
    Files.writeString(ldif, DOMAIN + String.join("\n\n", entries) + "\n");
    commands.shouldSucceed(configure(configuration), "import", "--replace", ldif.toString());
  }

  private List<Found> doctor(Path configuration, int exitCode, String... options) throws Exception {
    List<String> all = new ArrayList<>(List.of("doctor", "--json"));
    all.addAll(List.of(options));
    int code = commands.run(configuration, all.toArray(String[]::new));
    assertThat(commands.err()).isEmpty();
    List<Found> found = new ArrayList<>();
    JSONObject json = new JSONObject(commands.out());
    for (JSONValue each : json.getFieldAsArray("findings")) {
      JSONObject one = (JSONObject) each;
      found.add(
          new Found(
              one.getFieldAsString("weight"),
              one.getFieldAsString("area"),
              one.getFieldAsString("sentence"),
              one.getFieldAsString("command")));
    }
    assertThat(json.getFieldAsString("worst")).isEqualTo(found.getFirst().weight());
    assertThat(code).as(commands.out()).isEqualTo(exitCode);
    return found;
  }

  /** Returns the one finding of an area that is not well. */
  private Found only(String configuration, int exitCode, String area, String... options)
      throws Exception {
    List<Found> found =
        doctor(configure(configuration), exitCode, options).stream()
            .filter(each -> each.area().equals(area) && !each.weight().equals("ok"))
            .toList();
    assertThat(found).hasSize(1);
    return found.getFirst();
  }

  @Test
  void shouldFindAFreshServerWell() throws Exception {
    commands.shouldSucceed(
        configure(""), "sample", "200", "-o", folder.resolve("people.ldif").toString());
    assertThat(doctor(configure(""), ExitCode.OK)).extracting(Found::area).doesNotContain("disk");
    commands.shouldSucceed(configure(""), "import", folder.resolve("people.ldif").toString());
    List<Found> found = doctor(configure(""), ExitCode.OK);
    assertThat(found).extracting(Found::weight).containsOnly("advice", "ok");
    assertThat(found)
        .filteredOn(each -> each.weight().equals("ok"))
        .extracting(Found::area)
        .contains(
            "server",
            "configuration",
            "permissions",
            "certificates",
            "descriptors",
            "disk",
            "indexes",
            "password policies",
            "passwords");
    assertThat(commands.run(configure(""), "doctor")).isZero();
    assertThat(commands.out())
        .contains("ok       configuration: nothing found\n")
        .contains("advice   backups: no backup is known: ")
        .contains("\n         > nyala backup DIR\n");
    assertThat(commands.run(configure(""), "doctor", "--seconds", "0")).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void shouldFindWhatAStartRefuses() throws Exception {
    Found unknown = only("nosuchkey = 1", ExitCode.FAULTY, "configuration");
    assertThat(unknown.sentence()).contains("nyala.conf:4").contains("nosuchkey");
    Found index = only("indexes { nobody = [eq] }", ExitCode.FAULTY, "configuration");
    assertThat(index.sentence()).contains("index on an unknown attribute type: nobody");
    assertThat(index.command()).isEqualTo("nyala config check");
    Found idle = only("dispatch.strategy = virtual-threads", ExitCode.OK, "configuration");
    assertThat(idle.weight()).isEqualTo("advice");
    assertThat(idle.sentence()).contains("limits.memory.operationMebibytes");
  }

  @Test
  void shouldFindFilesThatOthersCanRead() throws Exception {
    load("");
    Path data = folder.resolve("data");
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxrwxrwx"));
    Found open = only("", ExitCode.WARNED, "permissions");
    assertThat(open.sentence()).contains(data + " (rwxrwxrwx) can be written to by others");
    assertThat(open.command()).isEqualTo("chmod go-w,o= " + data);
    assertThat(new ProcessBuilder("sh", "-c", open.command()).start().waitFor()).isZero();
    assertThat(doctor(configure(""), ExitCode.OK))
        .contains(new Found("ok", "permissions", "nothing found", ""));

    Path file = configure("");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    String root = "root { dn = \"cn=admin\", password = \"%s\" }";
    Found clear = only(root.formatted("admin"), ExitCode.WARNED, "permissions");
    assertThat(clear.sentence()).contains(file + " (rw-r--r--) has a password");
    assertThat(clear.command()).isEqualTo("chmod o= " + file);
    Found hash = only(root.formatted("{SSHA}0c0blFTXXNuAMHECS4uxrj3ZieMoWImr"), 0, "permissions");
    assertThat(hash.weight()).isEqualTo("advice");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    assertThat(doctor(configure(root.formatted("admin")), ExitCode.OK))
        .contains(new Found("ok", "permissions", "nothing found", ""));
  }

  @Test
  void shouldFindFilesOfAnotherOwner() throws Exception {
    load("");
    Path file = Files.writeString(folder.resolve("data/left"), "");
    boolean isRoot = Files.getOwner(file).getName().equals("root");
    assumeTrue(isRoot, "another owner takes root");
    assertThat(new ProcessBuilder("chown", "daemon", file.toString()).start().waitFor()).isZero();
    Found found = only("", ExitCode.WARNED, "permissions");
    assertThat(found.sentence()).isEqualTo(file + " belongs to daemon, and its folder to root");
    assertThat(found.command()).isEqualTo("chown root " + file);
  }

  @Test
  void shouldFindNumbersAheadOfTheClock() throws Exception {
    load("");
    NyalaConfig read = ConfigurationFile.read(configure(""), folder);
    Schema schema = read.schema(Installation.current());
    Instant then = Instant.now().plus(Duration.ofDays(40));
    Csn csn = new Csn(ChronoUnit.MICROS.between(Instant.EPOCH, then), 0, 1, 0);
    try (LmdbBackend backend = LmdbBackend.open(read.data(), schema, read.store());
        WriteTransaction write = backend.beginWrite()) {
      Dn top = DnParser.parse(schema, TOP);
      AttributeType type = Objects.requireNonNull(schema.attributeType("entryCSN"));
      List<AttributeChange> changes =
          List.of(
              new AttributeChange.Replaced(
                  AttributeDescription.of(type), List.of(csn.toString().getBytes(UTF_8))));
      write.apply(new ResolvedChange.Modify(top, write.find(top), changes), csn);
      write.commit();
    }
    List<Found> found = doctor(configure(""), ExitCode.FAULTY);
    assertThat(found.getFirst().area()).isEqualTo("clock");
    assertThat(found.getFirst().sentence())
        .startsWith("changes have times ahead of the clock, in " + TOP + " by 9");
  }

  private String certificate(String host, int days, Instant from, String key) throws IOException {
    CertificateMaker.Pem made =
        CertificateMaker.selfSigned(List.of(host), days, from, new SecureRandom());
    Path file = Files.writeString(folder.resolve("host.pem"), made.certificate());
    Path keyFile = folder.resolve("host.key");
    Files.writeString(keyFile, key.isEmpty() ? made.key() : key);
    Files.setPosixFilePermissions(keyFile, PosixFilePermissions.fromString("rw-------"));
    return "listeners = [\"ldap://localhost:0\"]\ntls { certificate = \""
        + file
        + "\", key = \""
        + keyFile
        + "\" }";
  }

  @Test
  void shouldFindCertificatesThatEndOrDoNotFit() throws Exception {
    Instant now = Instant.now();
    String area = "certificates";
    String sound = certificate("localhost", 90, now, "");
    assertThat(doctor(configure(sound), ExitCode.OK))
        .contains(new Found("ok", area, "nothing found", ""));
    Files.setPosixFilePermissions(
        folder.resolve("host.key"), PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(only(sound, ExitCode.WARNED, "permissions").sentence())
        .isEqualTo(
            folder.resolve("host.key") + " (rw-r--r--) has a secret, and is open to every user");

    Found soon = only(certificate("localhost", 5, now, ""), ExitCode.WARNED, area);
    assertThat(soon.sentence()).contains("host.pem").contains(" ends on ").endsWith(", in 4 days");
    assertThat(soon.command()).isEqualTo("nyala tls check");
    Instant before = now.minus(Duration.ofDays(30));
    assertThat(only(certificate("localhost", 5, before, ""), ExitCode.FAULTY, area).sentence())
        .contains(" has ended on ");
    Instant after = now.plus(Duration.ofDays(30));
    assertThat(only(certificate("localhost", 90, after, ""), ExitCode.FAULTY, area).sentence())
        .contains(" is not valid before ");
    Found other = only(certificate("ldap.invalid", 90, now, ""), ExitCode.OK, area);
    assertThat(other.weight()).isEqualTo("advice");
    assertThat(other.sentence()).contains(" is for ldap.invalid, and not for localhost");
    String foreign = CertificateMaker.selfSigned(List.of("a"), 90, now, new SecureRandom()).key();
    assertThat(only(certificate("localhost", 90, now, foreign), ExitCode.FAULTY, area).sentence())
        .contains("the key is not that of the first certificate");
  }

  /** Makes the files of a member of a cluster; returns its configuration. */
  private String member(String host, int days, Instant from, Instant authorityFrom)
      throws IOException {
    SecureRandom random = new SecureRandom();
    CertificateMaker.Pem made = CertificateMaker.selfSigned(List.of(host), days, from, random);
    CertificateMaker.Pem authority = CertificateMaker.authority("ours", 30, authorityFrom, random);
    Path key = folder.resolve("member.key");
    Files.writeString(key, made.key());
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
    return "cluster { address = \"localhost:7389\", tlsCertificate = \""
        + Files.writeString(folder.resolve("member.pem"), made.certificate())
        + "\", tlsKey = \""
        + key
        + "\", tlsTrust = \""
        + Files.writeString(folder.resolve("authorities.pem"), authority.certificate())
        + "\" }";
  }

  @Test
  void shouldFindCertificatesOfMembersThatEndOrDoNotFit() throws Exception {
    Instant now = Instant.now();
    String area = "certificates";
    String sound = member("localhost", 90, now, now);
    assertThat(doctor(configure(sound), ExitCode.OK))
        .contains(new Found("ok", area, "nothing found", ""));
    commands.shouldSucceed(configure(sound), "tls", "check");
    assertThat(commands.out())
        .contains("member.key\n  subject: CN=localhost\n", "authorities.pem\n  subject: CN=ours\n")
        .contains("(89 days left)");
    Path key = folder.resolve("member.key");
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(only(sound, ExitCode.WARNED, "permissions").sentence())
        .isEqualTo(key + " (rw-r--r--) has a secret, and is open to every user");

    Found soon = only(member("localhost", 5, now, now), ExitCode.WARNED, area);
    assertThat(soon.sentence())
        .contains("member.pem and ", "member.key (CN=localhost) ends on ")
        .endsWith(", in 4 days");
    assertThat(soon.command()).isEqualTo("nyala tls check");
    Instant before = now.minus(Duration.ofDays(25));
    assertThat(only(member("localhost", 5, before, now), ExitCode.FAULTY, area).sentence())
        .contains("member.pem")
        .contains(" has ended on ");
    assertThat(only(member("localhost", 90, now, before), ExitCode.WARNED, area).sentence())
        .contains("authorities.pem (CN=ours) ends on ")
        .endsWith(", in 4 days");
    assertThat(only(member("ldap.invalid", 90, now, now), ExitCode.FAULTY, area).sentence())
        .endsWith(
            " is for ldap.invalid, and not for localhost, by which other servers reach this one");

    String foreign = member("localhost", 90, now, now);
    Files.writeString(
        key, CertificateMaker.selfSigned(List.of("a"), 90, now, new SecureRandom()).key());
    assertThat(only(foreign, ExitCode.FAULTY, area).sentence())
        .isEqualTo(
            "nyala.cluster: The key of the file "
                + key
                + " is not that of the certificate of CN=localhost.");
    String missing = member("localhost", 90, now, now);
    Files.delete(folder.resolve("authorities.pem"));
    assertThat(only(missing, ExitCode.FAULTY, area).sentence())
        .isEqualTo(
            "nyala.cluster: The file " + folder.resolve("authorities.pem") + " cannot be read.");
  }

  @Test
  void shouldFindCertificatesOfAMemberThatRuns() throws Exception {
    Instant now = Instant.now();
    String settings = member("localhost", 5, now, now);
    try (ServerProcess server = ServerProcess.start(folder, settings)) {
      Path file = folder.resolve("test.conf");
      assertThat(doctor(file, ExitCode.WARNED))
          .anyMatch(each -> each.sentence().startsWith("nyala is running, pid " + server.pid()))
          .anyMatch(
              each ->
                  each.weight().equals("warning")
                      && each.area().equals("certificates")
                      && each.sentence().contains("member.key (CN=localhost) ends on "));
      Files.writeString(folder.resolve("member.pem"), "damaged");
      assertThat(doctor(file, ExitCode.FAULTY))
          .anyMatch(each -> each.sentence().endsWith("member.pem holds no certificate as PEM."));
    }
  }

  @Test
  void shouldFindIndexesThatDifferFromTheConfiguration() throws Exception {
    load("indexes { objectClass = [eq], entryUUID = [eq], uid = [eq] }");
    String asked = "indexes { objectClass = [eq], entryUUID = [eq], %s = [eq] }";
    List<Found> found =
        doctor(configure(asked.formatted("mail")), ExitCode.WARNED).stream()
            .filter(each -> each.area().equals("indexes"))
            .toList();
    assertThat(found)
        .extracting(each -> each.weight() + ' ' + each.command())
        .containsExactly("warning nyala index add mail:eq", "advice nyala index drop uid:eq");
    for (Found each : found) {
      String[] words = each.command().substring("nyala ".length()).split(" ");
      commands.shouldSucceed(configure(asked.formatted("mail")), words);
    }
    assertThat(doctor(configure(asked.formatted("mail")), ExitCode.OK))
        .contains(new Found("ok", "indexes", "nothing found", ""));
  }

  @Test
  void shouldFindRulesThatNeverApply() throws Exception {
    load("");
    Path rules = folder.resolve("access.rules");
    String text = "to all\n  users may read\n";
    Files.writeString(rules, text);
    Files.setPosixFilePermissions(rules, PosixFilePermissions.fromString("rw-------"));
    String configuration = "access.rules = \"" + rules + "\"";
    assertThat(doctor(configure(configuration), ExitCode.OK))
        .contains(new Found("ok", "access rules", "nothing found", ""));
    Files.writeString(rules, text + "to attributes cn\n  users may write\n");
    Found unreached = only(configuration, ExitCode.WARNED, "access rules");
    assertThat(unreached.sentence())
        .contains("access.rules:3:")
        .contains("this rule is never reached: the one in line 1");
    assertThat(unreached.command()).isEqualTo("nyala access check " + rules);
    Files.writeString(rules, "to all\n  entry \"uid=gone,dc=example,dc=com\" may read\n");
    assertThat(only(configuration, ExitCode.WARNED, "access rules").sentence())
        .contains("uid=gone,dc=example,dc=com");
  }

  private static String policy(String name) {
    return "dn: cn="
        + name
        + ","
        + TOP
        + "\nobjectClass: device\nobjectClass: pwdPolicy\npwdAttribute: userPassword";
  }

  private static String person(String name, String... lines) {
    return "dn: uid="
        + name
        + ","
        + TOP
        + "\nobjectClass: inetOrgPerson\ncn: x\nsn: x\n"
        + String.join("\n", lines);
  }

  @Test
  void shouldFindPoliciesWithoutEffect() throws Exception {
    String area = "password policies";
    load("", policy("default"), policy("named"), person("a", "pwdPolicySubentry: cn=named," + TOP));
    Found idle = only("", ExitCode.OK, area);
    assertThat(idle.weight()).isEqualTo("advice");
    assertThat(idle.sentence()).contains("cn=default," + TOP + " applies to nobody");
    String configured = "passwordPolicy.default = \"cn=%s,dc=example,dc=com\"";
    assertThat(doctor(configure(configured.formatted("default")), ExitCode.OK))
        .contains(new Found("ok", area, "nothing found", ""));
    List<Found> missing = doctor(configure(configured.formatted("gone")), ExitCode.WARNED);
    assertThat(missing.getFirst().sentence())
        .contains("passwordPolicy.default names cn=gone," + TOP + ", which is no password policy");
    load("", person("a", "pwdPolicySubentry: cn=g(o*n)\\2be," + TOP));
    Found named = only("", ExitCode.WARNED, area);
    assertThat(named.sentence()).contains("entries name cn=g(o*n)");
    String filter = "(pwdPolicySubentry=cn=g\\28o\\2an\\29\\5c2be," + TOP + ")";
    assertThat(named.command()).isEqualTo("nyala export --filter '" + filter + "'");
    Path ldif = folder.resolve("of-policy.ldif");
    commands.shouldSucceed(configure(""), "export", "--filter", filter, "-o", ldif.toString());
    assertThat(ldif).content().contains("uid=a,");
  }

  @Test
  void shouldFindPasswordsThatNobodyCanUse() throws Exception {
    load(
        "password.maximumCryptRounds = 2000000",
        person("sasl", "userPassword: {SASL}a@example.com"),
        person("slow", "userPassword: {CRYPT}$6$rounds=1500000$saltsalt$" + "x".repeat(86)),
        person("well", "userPassword: secret"));
    List<Found> found =
        doctor(configure(""), ExitCode.WARNED).stream()
            .filter(each -> each.area().equals("passwords"))
            .toList();
    assertThat(found)
        .extracting(Found::sentence)
        .containsExactly(
            "1 stored passwords in {SASL} match no password: uid=sasl," + TOP,
            "1 stored passwords match no password, as they take more than 1000000 rounds of"
                + " SHA-crypt (password.maximumCryptRounds): uid=slow,"
                + TOP);
  }

  @Test
  void shouldKnowTheAgeOfBackups() throws Exception {
    load("");
    String area = "backups";
    Path backups = Files.createDirectory(folder.resolve("backups"));
    String[] options = {"--backups", backups.toString()};
    assertThat(only("", ExitCode.WARNED, area, options).sentence())
        .isEqualTo("there is no complete backup in " + backups);
    commands.shouldSucceed(configure(""), "backup", backups.resolve("1").toString());
    assertThat(doctor(configure(""), ExitCode.OK, options))
        .anyMatch(
            each ->
                each.area().equals(area)
                    && each.weight().equals("ok")
                    && each.sentence().endsWith(", 0 days ago"));
    Path manifest = backups.resolve("1/backup.manifest");
    String aged =
        Files.readString(manifest)
            .replaceFirst(
                "(time +)\\S+", "$1" + Instant.now().minus(Duration.ofDays(8)).toString());
    Files.writeString(manifest, aged);
    assertThat(only("", ExitCode.WARNED, area, options).sentence()).endsWith(", 8 days ago");
    assertThat(doctor(configure(""), ExitCode.OK, "--backups", "" + backups, "--backup-days", "9"))
        .noneMatch(each -> each.weight().equals("warning"));
  }

  private List<Found> growth(Path backups) throws Exception {
    List<Found> all = new ArrayList<>();
    commands.run(configure(""), "doctor", "--json", "--backups", backups.toString());
    for (JSONValue each : new JSONObject(commands.out()).getFieldAsArray("findings")) {
      JSONObject one = (JSONObject) each;
      String sentence = one.getFieldAsString("sentence");
      if (sentence.contains("grown")) {
        all.add(
            new Found(one.getFieldAsString("weight"), one.getFieldAsString("area"), sentence, ""));
      }
    }
    return all;
  }

  private static void rewrite(Path manifest, String key, String value) throws IOException {
    Files.writeString(
        manifest, Files.readString(manifest).replaceFirst("(?m)^(" + key + " +).*$", "$1" + value));
  }

  @Test
  void shouldKnowTheGrowthBetweenBackupsOfAServerThatIsStopped() throws Exception {
    load("");
    Path backups = Files.createDirectory(folder.resolve("backups"));
    commands.shouldSucceed(configure(""), "backup", backups.resolve("1").toString());
    assertThat(growth(backups)).isEmpty();
    commands.shouldSucceed(configure(""), "backup", backups.resolve("2").toString());
    assertThat(growth(backups)).isEmpty();

    Instant now = Instant.now();
    Instant before = now.minus(Duration.ofDays(10));
    Path first = backups.resolve("1/backup.manifest");
    Path last = backups.resolve("2/backup.manifest");
    rewrite(first, "time", before.toString());
    rewrite(last, "time", now.toString());
    assertThat(growth(backups)).isEmpty();
    rewrite(first, "bytes", "1048576");
    rewrite(last, "bytes", Long.toString(21L << 20));
    assertThat(growth(backups))
        .singleElement()
        .satisfies(
            found -> {
              assertThat(found.area()).isEqualTo("disk");
              assertThat(found.weight()).isEqualTo("ok");
              assertThat(found.sentence())
                  .startsWith(
                      "backups have grown by 20 MiB in 10.0 days, from " + before + " to " + now)
                  .containsPattern(": at that rate the free space lasts for \\d{3,} days$");
            });
    rewrite(last, "bytes", Long.toString(1L << 50));
    assertThat(growth(backups)).extracting(Found::weight).containsExactly("warning");
    rewrite(first, "context", "dc=example,dc=org");
    assertThat(growth(backups)).isEmpty();
  }

  @Test
  void shouldAskTheServerThatRuns() throws Exception {
    Path certificate = folder.resolve("soon.pem");
    CertificateMaker.Pem made =
        CertificateMaker.selfSigned(List.of("localhost"), 5, Instant.now(), new SecureRandom());
    Files.writeString(certificate, made.certificate());
    Files.writeString(folder.resolve("soon.key"), made.key());
    String tls =
        "tls { certificate = \"%s\", key = \"%s\" }"
            .formatted(certificate, folder.resolve("soon.key"));
    String settings = tls + "\nlog.slowMillis = 1, management.watch.intervalSeconds = 1";
    Path file = ServerProcess.configure(folder, settings);
    Path people = folder.resolve("people.ldif");
    commands.shouldSucceed(file, "sample", "5000", "-o", people.toString());
    commands.shouldSucceed(file, "import", people.toString());
    try (ServerProcess server = ServerProcess.start(folder, settings);
        LDAPConnection root = server.client("cn=admin", "admin")) {
      eventually(
          "a slow search and the alarm are found",
          () -> {
            root.search(TOP, SearchScope.SUB, "(street=No Such Street)", "cn");
            List<Found> found = doctor(file, ExitCode.WARNED);
            return found.stream()
                    .anyMatch(
                        each ->
                            each.weight().equals("warning")
                                && each.sentence().contains("searches for (street=?) read ")
                                && each.command().equals("nyala index add street:eq"))
                && found.stream()
                    .anyMatch(
                        each -> each.sentence().startsWith("the certificate CN=localhost ends"));
          });
      assertThat(doctor(file, ExitCode.WARNED))
          .anyMatch(each -> each.sentence().startsWith("nyala is running, pid " + server.pid()))
          .contains(new Found("ok", "descriptors", "they suffice for limits.connections", ""));
      commands.shouldSucceed(file, "index", "add", "street:eq");
      assertThat(doctor(file, ExitCode.WARNED))
          .noneMatch(each -> each.command().startsWith("nyala index add"));
      server.kill();
    }
    assertThat(doctor(folder.resolve("test.conf"), ExitCode.WARNED))
        .anyMatch(
            each ->
                each.area().equals("server")
                    && each.sentence().contains("was killed or has crashed"));
  }
}
