package org.nyala.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.sync.RandomTree.TOP;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ContentSyncDoneControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import com.unboundid.util.json.JSONObject;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Patience;
import org.nyala.loadtest.cli.Main;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;
import picocli.CommandLine;

/** Tests the jobs of the load tester that measure content synchronization, with a provider. */
@Timeout(300)
class LoadTesterSyncTest {
  private static final int PEOPLE = 3;
  private static final int CONNECTIONS = 2;
  private static final int OPERATIONS = 4;

  @TempDir Path folder;

  private final StringWriter err = new StringWriter();
  private RunningServer server;
  private LDAPConnection root;

  @BeforeEach
  void start() throws Exception {
    server = LocalServer.start(folder, "serverId = 5");
    root = LocalServer.connectAsRoot(server);
    root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    for (int user = 0; user < PEOPLE; user++) {
      String uid = "user." + user;
      root.add("dn: " + name(user), "objectClass: inetOrgPerson", "uid: " + uid, "cn: P", "sn: P");
    }
  }

  @AfterEach
  void stop() {
    root.close();
    server.close();
  }

  private static String name(int user) {
    return "uid=user." + user + "," + TOP;
  }

  /** Runs a job, which must not fail, and returns its results. */
  private JSONObject run(String job, String... more) throws Exception {
    Path json = folder.resolve(job + ".json");
    List<String> words =
        new ArrayList<>(
            List.of(
                job,
                "--url=ldap://127.0.0.1:" + LocalServer.port(server),
                "--base=" + TOP,
                "--bind-dn=cn=admin",
                "--password=admin",
                "--connections=" + CONNECTIONS,
                "--operations=" + OPERATIONS,
                "--seconds=60",
                "--warmup-seconds=0",
                "--allow-disturbed",
                "--json=" + json));
    words.addAll(List.of(more));
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(new StringWriter())).setErr(new PrintWriter(err, true));
    int exit = line.execute(words.toArray(String[]::new));
    assertThat(exit).as("%s %s", err, Files.exists(json) ? Files.readString(json) : "").isZero();
    return new JSONObject(Files.readString(json));
  }

  private String cookie() throws Exception {
    SearchRequest request = new SearchRequest(TOP, SearchScope.SUB, "(objectClass=*)");
    request.addControl(
        new ContentSyncRequestControl(
            ContentSyncRequestMode.REFRESH_ONLY, (ASN1OctetString) null, false));
    return ContentSyncDoneControl.get(root.search(request)).getCookie().stringValue();
  }

  private void modify(int user, int number) throws Exception {
    root.modify(
        name(user), new Modification(ModificationType.REPLACE, "description", "no. " + number));
  }

  @Test
  void shouldScanTheWholeContentOrTheChanges() throws Exception {
    JSONObject whole = run("scan", "--sync", "--users=" + PEOPLE);
    int scans = CONNECTIONS * OPERATIONS;
    assertThat(whole.getFieldAsInteger("operations")).isEqualTo(scans);
    assertThat(whole.getFieldAsInteger("units")).isEqualTo(scans * (PEOPLE + 1));

    String cookie = cookie();
    modify(1, 0);
    JSONObject changes = run("scan", "--sync", "--users=" + PEOPLE, "--sync-cookie=" + cookie);
    assertThat(changes.getFieldAsInteger("operations")).isEqualTo(scans);
    assertThat(changes.getFieldAsInteger("units")).isEqualTo(scans);
  }

  @Test
  void shouldFollowChangesAndMeasureTheirLag() throws Exception {
    for (String[] options : new String[][] {{}, {"--sync-cookie=" + cookie()}}) {
      JSONObject[] results = new JSONObject[1];
      Thread following =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      results[0] = run("follow", options);
                    } catch (Exception e) {
                      throw new AssertionError(e);
                    }
                  });
      for (int number = 0; following.isAlive(); number++) {
        modify(number % PEOPLE, number);
      }
      Patience.join(following);

      assertThat(results[0]).as("%s", err).isNotNull();
      assertThat(results[0].getFieldAsInteger("operations")).isEqualTo(CONNECTIONS * OPERATIONS);
      assertThat(results[0].getFieldAsInteger("errorCount")).isZero();
      JSONObject lag = (JSONObject) results[0].getField("latencyMicros");
      assertThat(((JSONObject) lag.getField("corrected")).getFieldAsBigDecimal("max").doubleValue())
          .isBetween(1.0, 30e6);
    }
  }
}
