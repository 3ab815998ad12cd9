package org.nyala.tarball;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Types the page about the load tester beside two servers, with fewer people and for a moment. */
class LoadtestPageIT extends PageTestCase {
  private static final String CONFIGURATION =
      """
      nyala {
        listeners = ["ldap://127.0.0.1:1389", "ldaps://127.0.0.1:1636"]
        suffixes = ["dc=example,dc=com"]
        root { dn = "cn=admin,dc=example,dc=com", passwordFile = "root.password" }
        access.anonymousRead = true
        tls { certificate = "ann.pem", key = "ann.key", clientCa = "ann.pem", clientCertificate = optional }
        password { scheme = SCRAM-SHA-256, upgradeAtBind = false }
        store.create = always
      }
      """;

  private static final String ANN =
      """
      dn: uid=ann,dc=example,dc=com
      objectClass: inetOrgPerson
      uid: ann
      cn: Ann
      sn: Ann
      userPassword: capstan
      """;

  /** Jobs, each of which takes a moment and forgives that other programs disturb it. */
  private static final List<String> JOBS =
      List.of("search", "scan", "follow", "modify", "bind", "heavy", "auth", "mixed");

  /** Commands that another one of the page tries, too; the first two start a server each time. */
  private static final List<String> REPEATED =
      List.of("--regimes cheap-16", "--regimes tester", "--histogram millis");

  LoadtestPageIT() throws IOException {
    super("loadtest.adoc");
  }

  @Override
  boolean isLeftOut(String command) {
    return REPEATED.stream().anyMatch(command::contains);
  }

  private void prepare() throws Exception {
    certify("opt/ann");
    for (String each : List.of("root.password", "ann.password")) {
      Files.writeString(home.resolve(each), PASSWORD);
    }
    String certificate = Files.readString(folder.resolve("opt/ann.pem"));
    String key = Files.readString(folder.resolve("opt/ann.key"));
    Files.writeString(home.resolve("ca.pem"), certificate);
    Files.writeString(home.resolve("ann.pem"), certificate + key);
    Files.writeString(home.resolve("ann.key"), key);
    Files.writeString(home.resolve("conf/nyala.conf"), CONFIGURATION);
    typist.type(
        "bin/nyala sample --entries 300 -o people.ldif",
        "bin/nyala import people.ldif",
        "bin/nyala start",
        "bin/nyala import people.ldif --data second",
        "bin/nyala start --data second --listen ldap://127.0.0.1:2389");
    typist.type(
        "ldapadd -x -D cn=admin,dc=example,dc=com -w "
            + PASSWORD
            + " -f "
            + write("ann.ldif", ANN));
    move("/data", "/tmp/bench");
    replacements.put("/var/lib/ldap", "data");
    replacements.put(
        "--nyala /opt/nyala",
        "--nyala . --entries 300 --rounds 1 --seconds 0.3 --warmup-seconds 0.3");
    replacements.put("$(pgrep -x slapd)", "$(cat data/run/nyala.pid)");
    replacements.put("--password secret", "--password " + PASSWORD);
    for (String each : List.of("1000000", "100000", "20797", "10000", "5000000")) {
      replacements.put("--users " + each, "--users 300");
      replacements.put("--entries " + each, "--entries 300");
    }
    replacements.put("--users 1000 ", "--users 20 ");
    replacements.put("seq 0 999", "seq 0 19");
    replacements.put("--rate 20000", "--rate 200");
    replacements.put("--seconds 60", "");
    replacements.put("--seconds 10", "");
    replacements.put("--knee-p99-ms 5", "--knee-p99-ms 10000");
    replacements.put("--find-knee", "--find-knee --knee-from 50 --knee-to 100 --knee-confirm 1");
    replacements.put("--compare ", "--rounds 1 --compare ");
    for (String each : JOBS) {
      String command = "bin/nyala-loadtest " + each + " ";
      replacements.put(
          command, command + "--allow-disturbed --quiet --seconds 0.3 --warmup-seconds 0 ");
    }
    String everyone = "bin/nyala-loadtest modify-each ";
    replacements.put(everyone, everyone + "--allow-disturbed ");
    replacements.put("contention", "contention --seconds 1");
    replacements.put("cheap-16,cheap-128,cheap-1000,cheap-10000", "cheap-16");
    for (String each : List.of("authenticate", "tester")) {
      replacements.put(each + " --out", each + " --strategies lightweight --out");
    }
    replacements.put("-Xmx8g", "-Xmx256m");
    replacements.put("-Xmx24g", "-Xmx256m");
    replacements.put("mebibytes 4096", "mebibytes 32");
    replacements.put(
        "mebibytes 8192 &",
        "mebibytes 32 >caching.out & until grep -q ready caching.out; do sleep 0.1; done");
  }

  @Test
  void shouldWorkAsThePageSays() throws Exception {
    prepare();
    runUntil("bin/nyala sample --entries 5000000");
    typist.type("bin/nyala stop", "bin/nyala stop --data second");
    runUntil("bin/nyala-loadtest mixed");
    typist.type("bin/nyala stop --data " + folder + "/data/nyala", "bin/nyala start");
    end();
  }
}
