package org.nyala.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.management.ManagementBeans;
import org.nyala.management.bean.AccountsMXBean;
import org.nyala.page.PageClient.Answer;
import org.nyala.process.LocalServer;
import org.nyala.process.ProgramJvm;
import org.nyala.server.RunningServer;

/** Tests that each action of the live page does what it says, and is logged. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PageActionsTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String ADMIN = "boss:right";
  private static final String VICTIM = "uid=victim," + TOP;
  private static final int PEOPLE = 400;

  /** So many that a pipe does not take all of them. */
  private static final int TEXT_CHARACTERS = 2000;

  private Path folder;
  private RunningServer server;
  private PageClient client;

  @BeforeAll
  void start(@TempDir Path temporary) throws Exception {
    folder = temporary;
    server =
        LocalServer.start(
            folder,
            "access.anonymousRead = true, management { http = \"127.0.0.1:0\","
                + " httpAdmin { user = boss, password = right } }");
    client = PageClient.of(server);
    try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.add("dn: " + TOP, "objectClass: domain", "dc: example");
      root.add(
          "dn: " + VICTIM, "objectClass: inetOrgPerson", "cn: v", "sn: v", "userPassword: secret");
      for (int i = 0; i < PEOPLE; i++) {
        root.add(
            "dn: uid=p" + i + "," + TOP,
            "objectClass: inetOrgPerson",
            "cn: p" + i,
            "sn: s",
            "title: t" + i,
            "description: " + "x".repeat(TEXT_CHARACTERS));
      }
    }
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private JsonObject done(String action, String body) throws IOException {
    Answer answer = client.act(action, body, ADMIN);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    assertThat(answer.json().get("done").getAsBoolean()).isTrue();
    assertThat(answer.sentence()).isNotEmpty();
    return answer.json();
  }

  private void refused(int status, String action, String body) throws IOException {
    Answer answer = client.act(action, body, ADMIN);
    assertThat(answer.status()).as(answer.body()).isEqualTo(status);
    assertThat(answer.json().get("done").getAsBoolean()).isFalse();
    assertThat(answer.sentence()).isNotEmpty();
  }

  private void shouldBeLogged(String line) throws IOException {
    eventually(
        line, () -> Files.readString(folder.resolve("logs/security.log")).contains(line + "\n"));
  }

  @Test
  void shouldSwitchTheStrategy() throws Exception {
    String before = client.data().getAsJsonObject("dispatch").get("strategy").getAsString();
    done("strategy", "{\"strategy\":\"striped\"}");
    eventually(
        "the page shows it",
        () ->
            client
                .data()
                .getAsJsonObject("dispatch")
                .get("strategy")
                .getAsString()
                .equals("striped"));
    assertThat(server.dispatchManagement().getStrategy()).isEqualTo("striped");
    done("strategy", "{\"strategy\":\"" + before + "\"}");
    refused(400, "strategy", "{\"strategy\":\"other\"}");
    shouldBeLogged(" via=http action=strategy user=\"boss\" about=\"strategy=striped\"");
    eventually(
        "the notices have it",
        () -> client.data().getAsJsonArray("notices").toString().contains("striped"));
  }

  /** A client that waits for changes, until its search ends. */
  private static final class Follower implements AsyncSearchResultListener, AutoCloseable {
    private static final long serialVersionUID = 1;

    private final transient LDAPConnection connection;
    private final transient BlockingQueue<SearchResult> ends = new LinkedBlockingQueue<>();

    private Follower(RunningServer server) throws LDAPException {
      connection = LocalServer.connectAsRoot(server);
      SearchRequest request = new SearchRequest(this, TOP, SearchScope.SUB, "(title=<b>)");
      request.addControl(
          new PersistentSearchRequestControl(
              new HashSet<>(PersistentSearchChangeType.allChangeTypes()), true, false, true));
      AsyncRequestID _ = connection.asyncSearch(request);
    }

    @Override
    public void searchResultReceived(AsyncRequestID id, SearchResult result) {
      ends.add(result);
    }

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {}

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {}

    @Override
    public void close() {
      connection.close();
    }
  }

  private JsonObject follower() throws IOException {
    eventually("a follower", () -> client.data().get("followersCount").getAsInt() == 1);
    return client.data().getAsJsonArray("followers").get(0).getAsJsonObject();
  }

  @Test
  void shouldCancelAnOperation() throws Exception {
    try (Follower follower = new Follower(server)) {
      JsonObject row = follower();
      assertThat(row.get("identity").getAsString()).isEqualTo("cn=admin");
      assertThat(row.get("request").getAsString()).contains("(title=<b>)");
      assertThat(client.get("/page/data").body()).doesNotContain("<", ">");
      int connection = row.get("connection").getAsInt();
      int message = row.get("messageId").getAsInt();
      done("cancel", "{\"connection\":%d,\"messageId\":%d}".formatted(connection, message));
      SearchResult end = follower.ends.poll(30, TimeUnit.SECONDS);
      assertThat(end).isNotNull();
      assertThat(end.getResultCode()).isEqualTo(ResultCode.CANCELED);
      refused(409, "cancel", "{\"connection\":%d,\"messageId\":99}".formatted(connection));
      shouldBeLogged(
          " via=http action=cancel user=\"boss\" about=\"connection=%d\\20messageId=%d\""
              .formatted(connection, message));
    }
    refused(400, "cancel", "{\"connection\":\"1\",\"messageId\":1}");
    refused(400, "cancel", "{\"connection\":4294967297,\"messageId\":1}");
  }

  @Test
  void shouldEndAConnection() throws Exception {
    try (LDAPConnection victim =
        new LDAPConnection("127.0.0.1", LocalServer.port(server), VICTIM, "secret")) {
      eventually("it is listed", () -> numberOf(VICTIM) >= 0);
      int number = numberOf(VICTIM);
      done("disconnect", "{\"connection\":" + number + "}");
      eventually("it is gone", () -> isGone(victim));
      // It is counted until its end is complete.
      eventually("the page does not show it any more", () -> numberOf(VICTIM) < 0);
      refused(409, "disconnect", "{\"connection\":" + number + "}");
      shouldBeLogged(
          " via=http action=disconnect user=\"boss\" about=\"connection=" + number + '"');
    }
  }

  private int numberOf(String identity) throws IOException {
    for (var each : client.data().getAsJsonObject("connections").getAsJsonArray("busiest")) {
      if (each.getAsJsonObject().get("identity").getAsString().equals(identity)) {
        return each.getAsJsonObject().get("number").getAsInt();
      }
    }
    return -1;
  }

  private static boolean isGone(LDAPConnection connection) {
    try {
      return connection.getRootDSE() == null;
    } catch (LDAPException e) {
      return true;
    }
  }

  @Test
  void shouldEndAReaderOfTheStoreAndNoOtherProcess() throws Exception {
    refused(409, "end-reader", "{\"process\":" + ProcessHandle.current().pid() + "}");
    refused(409, "end-reader", "{\"process\":1}");
    refused(409, "end-reader", "{\"process\":-1}");
    refused(409, "end-reader", "{\"process\":0}");
    Process export =
        new ProcessBuilder(
                ProgramJvm.command(
                    List.of(), List.of("export", "--config=" + folder.resolve("test.conf"))))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    Process bystander = new ProcessBuilder("sleep", "600").start();
    try {
      eventually("it reads", () -> isReading(export.pid()));
      refused(409, "end-reader", "{\"process\":" + bystander.pid() + "}");
      JsonObject answer = done("end-reader", "{\"process\":" + export.pid() + "}");
      assertThat(answer.get("sentence").getAsString()).contains("has ended");
      assertThat(export.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(bystander.isAlive()).isTrue();
      eventually("it does not read any more", () -> !isReading(export.pid()));
      refused(409, "end-reader", "{\"process\":" + export.pid() + "}");
      shouldBeLogged(
          " via=http action=end-reader user=\"boss\" about=\"process=" + export.pid() + '"');
    } finally {
      export.destroyForcibly();
      bystander.destroyForcibly();
    }
  }

  private boolean isReading(long process) throws IOException {
    for (var each : client.data().getAsJsonObject("store").getAsJsonArray("readers")) {
      JsonObject row = each.getAsJsonObject();
      if (row.get("process").getAsLong() == process) {
        assertThat(row.get("own").getAsBoolean()).isFalse();
        assertThat(row.get("command").getAsString()).isEqualTo("java");
        return true;
      }
    }
    return false;
  }

  @Test
  void shouldUnlockAnAccount() throws Exception {
    String name = "uid=p7," + TOP;
    MBeanServer registry = MBeanServerFactory.newMBeanServer();
    try (ManagementBeans _ = server.register(registry)) {
      AccountsMXBean accounts =
          JMX.newMXBeanProxy(registry, new ObjectName(AccountsMXBean.NAME), AccountsMXBean.class);
      eventually("the accounts are known", () -> locked() != null);
      assertThat(accounts.lock(name).lock()).isEqualTo("for-good");
      // The page looks again after an action on another account.
      done("unlock", "{\"dn\":\"uid=p8," + TOP + "\"}");
      eventually("the page shows it", () -> isLocked(name));
      done("unlock", "{\"dn\":\"" + name + "\"}");
      assertThat(accounts.show(name).lock()).isEqualTo("none");
      eventually("the page shows that it is not", () -> !isLocked(name));
    }
    refused(400, "unlock", "{\"dn\":\"x\"}");
    refused(409, "unlock", "{\"dn\":\"uid=nobody," + TOP + "\"}");
    shouldBeLogged(" via=http action=unlock user=\"boss\" about=\"dn=" + name + '"');
    shouldBeLogged(
        " account-administered via=http action=unlock user=\"boss\" entry=\"" + name + '"');
  }

  private @Nullable JsonArray locked() throws IOException {
    var locked = client.data().getAsJsonObject("accounts").get("locked");
    return locked.isJsonNull() ? null : locked.getAsJsonArray();
  }

  private boolean isLocked(String name) throws IOException {
    JsonArray known = locked();
    return known != null && known.toString().contains(name);
  }

  @Test
  void shouldBeginABackup() throws Exception {
    Path target = folder.resolve("backups/1");
    JsonObject answer = done("backup", "{\"directory\":\"" + target + "\"}");
    long number = answer.get("job").getAsLong();
    eventually("it is done", () -> state(number).equals("done"));
    assertThat(target).isNotEmptyDirectory();
    refused(400, "backup", "{\"directory\":\"relative\"}");
    refused(400, "backup", "{\"directory\":\"\\u0000\"}");
    shouldBeLogged(" via=http action=backup user=\"boss\" about=\"directory=" + target + '"');
  }

  private String state(long number) throws IOException {
    for (var each : client.data().getAsJsonArray("jobs")) {
      if (each.getAsJsonObject().get("number").getAsLong() == number) {
        return each.getAsJsonObject().get("state").getAsString();
      }
    }
    return "unknown";
  }

  @Test
  void shouldExplainASearchAndBuildTheIndexForIt() throws Exception {
    String body = "{\"base\":\"" + TOP + "\",\"scope\":\"sub\",\"filter\":\"(title=t7)\"}";
    JsonObject before = done("explain", body).getAsJsonObject("explanation");
    assertThat(before.get("results").getAsLong()).isEqualTo(1);
    assertThat(before.get("entriesRead").getAsLong()).isGreaterThanOrEqualTo(PEOPLE);
    assertThat(before.getAsJsonArray("terms").get(0).getAsJsonObject().get("text").getAsString())
        .isEqualTo("(title=t7)");
    assertThat(before.getAsJsonArray("terms").get(0).getAsJsonObject().get("index").getAsString())
        .isEmpty();
    JsonObject answer = done("index", "{\"index\":\"title:eq\"}");
    long number = answer.get("job").getAsLong();
    eventually("it is built", () -> state(number).equals("done"));
    JsonObject after = done("explain", body).getAsJsonObject("explanation");
    assertThat(after.get("results").getAsLong()).isEqualTo(1);
    assertThat(after.get("entriesRead").getAsLong()).isEqualTo(1);
    assertThat(client.data().getAsJsonObject("store").getAsJsonArray("indexes").toString())
        .contains("title:eq");
    refused(400, "index", "{\"index\":\"nothing:eq\"}");
    refused(400, "explain", "{\"base\":\"\",\"scope\":\"sub\",\"filter\":\"(\"}");
    refused(400, "explain", "{\"base\":\"\",\"scope\":\"all\",\"filter\":\"(cn=x)\"}");
    refused(400, "explain", "{\"base\":\"x\",\"scope\":\"sub\",\"filter\":\"(cn=x)\"}");
    shouldBeLogged(" via=http action=index user=\"boss\" about=\"index=title:eq\"");
  }
}
