package org.nyala.page;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.core.Patience.eventuallyHolds;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.CompareRequest;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Patience;
import org.nyala.management.bean.AccountsMXBean;
import org.nyala.management.bean.ConnectionsMXBean;
import org.nyala.management.bean.DispatchMXBean;
import org.nyala.management.bean.FindingsMXBean;
import org.nyala.management.bean.JobsMXBean;
import org.nyala.management.bean.OperationsMXBean;
import org.nyala.management.bean.StoreMXBean;
import org.nyala.process.ProgramJvm;
import org.nyala.server.MeteredBeans;
import org.nyala.server.NoResults;
import org.openqa.selenium.Keys;

/** Watches and administers a server by its live page in a real browser. */
class LivePageTest {
  private static final int WIDE = 1400;

  @TempDir static Path files;
  @TempDir Path folder;

  private static PageBrowser browser;

  private PageServer server;
  private LDAPConnection root;

  @BeforeAll
  static void startBrowser() {
    browser = PageBrowser.start(files);
  }

  @AfterAll
  static void stopBrowser() {
    browser.close();
  }

  @BeforeEach
  void serve() throws Exception {
    server = new PageServer(folder);
    root = server.root();
  }

  @AfterEach
  void stop() {
    browser.run("window.stop(); location.replace('about:blank')");
    root.close();
    server.close();
  }

  private void open(String url) {
    browser.open(url, WIDE, 1200, false);
    browser.awaitLive();
  }

  /** Nothing went wrong, nobody else was asked, and no secret was left behind. */
  private void assertClean(String... mayComplainOf) {
    assertThat(browser.complaints())
        .allSatisfy(text -> assertThat(mayComplainOf).anyMatch(text::contains));
    assertThat(browser.requests())
        .isNotEmpty()
        .filteredOn(address -> !address.startsWith("data:") && !address.equals("about:blank"))
        .allSatisfy(
            address ->
                assertThat(address)
                    .startsWith("http://127.0.0.1:")
                    .matches("[^?#]*")
                    .doesNotContain("correct"));
    String kept =
        (String)
            browser.run(
                "return JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie,"
                    + " location.href, history.state])");
    assertThat(kept).doesNotContain("correct", "horse", "admin", "Basic");
    assertThat(browser.run("return document.title").toString()).endsWith("Nyala, 127.0.0.1");
    assertThat(browser.elements("img, body script, iframe")).isEmpty();
  }

  private void logIn(String password) {
    browser.type("login-name", "admin");
    browser.type("login-password", password);
    browser.key(Keys.ENTER);
  }

  private void logIn() {
    browser.press("Log in");
    logIn(PageServer.PASSWORD);
    eventually("logged in", () -> browser.isShown("logout"));
  }

  /** Confirms the open question, and waits for the answer. */
  private void confirm(String verb) {
    browser.press(verb);
    eventually("answered", () -> browser.text("confirm-cancel").equals("Close"));
    assertThat(browser.run("return document.getElementById('confirm-answer').className"))
        .as(browser.text("confirm-answer"))
        .isEqualTo("answer done");
    browser.press("Close");
  }

  private static String grouped(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  private AsyncRequestID follow(LDAPConnection client) throws LDAPException {
    SearchRequest endless =
        new SearchRequest(new NoResults(), PageServer.TOP, SearchScope.SUB, "(title=<b>)");
    endless.addControl(
        new PersistentSearchRequestControl(
            PersistentSearchChangeType.allChangeTypes(), true, true));
    return client.asyncSearch(endless);
  }

  @Test
  void shouldShowWhatTheBeansTell() throws Exception {
    String locked = server.addHostile(root, "1");
    String user = server.addHostile(root, "2");
    server.lock(locked);
    DispatchMXBean dispatch = server.bean(DispatchMXBean.NAME, DispatchMXBean.class);
    dispatch.switchStrategy("striped");
    try (LDAPConnection client = server.anonymous()) {
      client.bind(user, "secret");
      for (int i = 0; i < 25; i++) {
        client.search(PageServer.TOP, SearchScope.BASE, "(objectClass=*)");
      }
      for (int i = 0; i < 3; i++) {
        client.compare(new CompareRequest(PageServer.TOP, "dc", "example"));
      }
      OperationsMXBean operations = server.bean(OperationsMXBean.NAME, OperationsMXBean.class);
      eventually(
          "there is a slow request",
          () -> {
            PageServer.searchSlowly(client);
            return operations.getSlowRequests().stream()
                .anyMatch(each -> each.operation().equals("search"));
          });
      AsyncRequestID following = follow(client);
      open(server.url());
      eventuallyHolds(() -> assertOperations(operations));
      eventuallyHolds(() -> assertClients(operations));
      eventuallyHolds(this::assertStore);
      eventuallyHolds(() -> assertAttention(dispatch));
      eventuallyHolds(this::assertHour);
      eventuallyHolds(() -> assertShape(server.data()));
      client.abandon(following);
    }
    browser.show(WIDE, browser.height(), false);
    browser.picture("real");
    assertClean();
  }

  private void assertOperations(OperationsMXBean operations) throws Exception {
    for (OperationsMXBean.Kind kind : operations.getKinds()) {
      assertThat(browser.row("kinds", kind.operation()))
          .last()
          .isEqualTo(grouped(kind.completed()));
    }
    assertThat(browser.row("kinds", "compare")).last().isEqualTo("3");
    assertThat(browser.rows("phases"))
        .extracting(List::getFirst)
        .containsExactly("decode", "admission", "queue", "execute", "hash", "commit", "write");
    assertThat(browser.rows("slow-requests"))
        .extracting(row -> row.subList(0, 4))
        .containsExactlyElementsOf(
            operations.getSlowRequests().stream()
                .limit(20)
                .map(
                    each ->
                        List.of(
                            each.client(), each.operation(), each.shape(), grouped(each.count())))
                .toList());
    assertThat(browser.rows("slow-clients"))
        .extracting(List::getFirst)
        .anySatisfy(client -> assertThat(client).contains("onerror"));
  }

  private void assertClients(OperationsMXBean operations) throws Exception {
    List<ConnectionsMXBean.Connection> connections =
        server.bean(ConnectionsMXBean.NAME, ConnectionsMXBean.class).list(100);
    assertThat(browser.facts("now-list"))
        .containsEntry("Connections", grouped(connections.size()))
        .containsEntry("Followers", "1");
    assertThat(browser.rows("busiest"))
        .extracting(row -> row.subList(0, 3))
        .containsExactlyInAnyOrderElementsOf(
            connections.stream()
                .map(
                    each ->
                        List.of(
                            Integer.toString(each.number()),
                            each.identity().isEmpty() ? "anonymous" : each.identity(),
                            each.peer()))
                .toList());
    assertThat(browser.rows("busiest"))
        .extracting(row -> row.get(1))
        .anySatisfy(identity -> assertThat(identity).contains("onerror"));
    OperationsMXBean.Running follower = operations.slow(0, 10).getFirst();
    assertThat(browser.rows("followers"))
        .singleElement()
        .satisfies(
            shown ->
                assertThat(shown)
                    .contains(
                        follower.identity(),
                        Integer.toString(follower.connection()),
                        follower.request()));
  }

  private void assertStore() throws Exception {
    MeteredBeans.Store store = server.bean(StoreMXBean.NAME, MeteredBeans.Store.class);
    assertThat(browser.facts("store-list"))
        .containsEntry("Entries", grouped(store.getEntries()))
        .hasEntrySatisfying(
            "Commits",
            text ->
                assertThat(text)
                    .endsWith(", " + grouped(store.getCommits().count()) + " since the start"))
        .hasEntrySatisfying(
            "Slots of readers",
            text -> assertThat(text).endsWith(" of " + store.getMaximumReaders()));
    assertThat(
            browser.texts(
                "return [...document.querySelectorAll('#indexes li')].map(e => e.textContent)"))
        .containsExactlyInAnyOrderElementsOf(store.getIndexes());
  }

  /** The newest point of the ring stands below each chart. */
  private void assertHour() throws Exception {
    JsonElement point = JsonParser.parseString(server.data()).getAsJsonObject().get("point");
    assertThat(point.isJsonObject()).isTrue();
    assertThat(
            browser.texts(
                "return [...document.querySelectorAll('#charts .legend li')].map(e =>"
                    + " e.textContent)"))
        .anySatisfy(
            text ->
                assertThat(text)
                    .startsWith(
                        "connections "
                            + grouped(point.getAsJsonObject().get("connections").getAsLong())
                            + " now, "));
    assertThat(browser.isShown("hour-none")).isFalse();
  }

  private void assertAttention(DispatchMXBean dispatch) throws Exception {
    AccountsMXBean accounts = server.bean(AccountsMXBean.NAME, AccountsMXBean.class);
    assertThat(browser.rows("locked"))
        .extracting(List::getFirst)
        .isNotEmpty()
        .containsExactlyElementsOf(accounts.list("locked", 0, 100, 60).names());
    assertThat(browser.facts("now-list"))
        .containsEntry("Strategy", dispatch.getStrategy())
        .containsEntry("Locked accounts", "1")
        .containsEntry("Certificate", certificateDays());
    assertThat(browser.rows("notices-list"))
        .anySatisfy(
            row ->
                assertThat(row)
                    .contains("dispatch.strategySwitched")
                    .last()
                    .asString()
                    .contains("striped"));
    Set<String> told = new TreeSet<>();
    for (FindingsMXBean.Finding each :
        server.bean(FindingsMXBean.NAME, FindingsMXBean.class).examine()) {
      told.add(
          (each.area() + ": " + each.sentence()).replaceAll("\\d+", "0") + "|" + each.command());
    }
    Set<String> shown = new TreeSet<>();
    for (String each :
        browser.texts(
            "return [...document.querySelectorAll('.finding')].map(each =>"
                + " each.children[0].textContent + '|' +"
                + " each.querySelector('code').textContent)")) {
      shown.add(each.replaceAll("\\d+", "0"));
    }
    assertThat(shown).isEqualTo(told);
  }

  private String certificateDays() throws Exception {
    JsonObject data = JsonParser.parseString(server.data()).getAsJsonObject();
    Instant end = server.certificateEnd();
    long days = Duration.between(Instant.now(), end).toDays();
    assertThat(data.getAsJsonObject("certificates").get("days").getAsLong()).isEqualTo(days);
    return days + " days";
  }

  /** The sample of the other tests has the members that the server sends. */
  private static void assertShape(String data) throws Exception {
    Set<String> scripted = new TreeSet<>();
    shape("", ScriptedServer.sample(), scripted);
    Set<String> real = new TreeSet<>();
    shape("", JsonParser.parseString(data), real);
    Set<String> unknown = new TreeSet<>(real);
    unknown.removeAll(scripted);
    assertThat(unknown).isEmpty();
    scripted.removeIf(name -> real.stream().noneMatch(each -> each.startsWith(parent(name) + "/")));
    assertThat(real).containsAll(scripted);
  }

  private static String parent(String name) {
    return name.substring(0, name.lastIndexOf('/'));
  }

  private static void shape(String place, JsonElement element, Set<String> shape) {
    if (element instanceof JsonObject object) {
      for (String name : object.keySet()) {
        String member = place + "/" + name;
        shape.add(member);
        if (!member.equals("/point")) {
          shape(member, object.get(name), shape);
        }
      }
    } else if (element instanceof JsonArray array) {
      array.forEach(each -> shape(place, each, shape));
    }
  }

  @Test
  void shouldDoNothingWithoutTheAccount() throws Exception {
    try (LDAPConnection victim = server.anonymous()) {
      victim.search(PageServer.TOP, SearchScope.BASE, "(objectClass=*)");
      int number = connectionOf("anonymous");
      for (String[] headers :
          List.of(
              new String[0],
              new String[] {"Authorization", "Basic " + base64("admin:wrong")},
              new String[] {"Authorization", "Basic " + base64("other:" + PageServer.PASSWORD)})) {
        assertThat(server.act("disconnect", "{\"connection\": " + number + "}", headers))
            .satisfies(
                answer -> {
                  assertThat(answer.statusCode()).isEqualTo(401);
                  assertThat(answer.headers().map()).doesNotContainKey("www-authenticate");
                });
      }
      open(server.url());
      browser.press("Disconnect connection " + number);
      eventually("it asks who it is", () -> browser.isShown("login-name"));
      browser.press("Close");
      assertThat(browser.isShown("confirm-submit")).isFalse();
      browser.press("Disconnect connection " + number);
      logIn("wrong");
      browser.awaitText("login-answer", text -> !text.isEmpty());
      assertThat(browser.isShown("confirm-submit")).isFalse();
      logIn(PageServer.PASSWORD);
      eventually("it asks once more", () -> browser.isShown("confirm-submit"));
      browser.press("Leave it");
      victim.search(PageServer.TOP, SearchScope.BASE, "(objectClass=*)");
      assertThat(server.securityLog()).doesNotContain("action=disconnect");
      assertClean("401 (Unauthorized)");

      browser.run("const own = performance.now(); performance.now = () => own + 16 * 60 * 1000");
      eventually("a login that is not used ends", () -> browser.isShown("login"));
    }
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
  }

  private int connectionOf(String identity) throws Exception {
    String bound = identity.equals("anonymous") ? "" : identity;
    return server.bean(ConnectionsMXBean.NAME, ConnectionsMXBean.class).list(100).stream()
        .filter(each -> each.identity().equals(bound))
        .findFirst()
        .orElseThrow()
        .number();
  }

  @Test
  void shouldDoWhatIsConfirmedToClients() throws Exception {
    String dn = server.addHostile(root, "");
    server.lock(dn);
    String name =
        server
            .bean(AccountsMXBean.NAME, AccountsMXBean.class)
            .list("locked", 0, 100, 60)
            .names()
            .getFirst();
    try (LDAPConnection victim = server.anonymous();
        LDAPConnection follower = server.anonymous()) {
      victim.search(PageServer.TOP, SearchScope.BASE, "(objectClass=*)");
      int number = connectionOf("anonymous");
      AsyncRequestID following = follow(follower);
      open(server.url());
      logIn();

      browser.press("Disconnect connection " + number);
      confirm("Disconnect");
      eventually("it is disconnected", () -> !victim.isConnected());
      server.awaitLogged("disconnect");

      browser.press(
          "Cancel operation "
              + following.getMessageID()
              + " of connection "
              + connectionOf("anonymous"));
      confirm("Cancel the operation");
      assertThat(Patience.get(following).getResultCode()).isEqualTo(ResultCode.CANCELED);

      browser.press("Unlock " + name);
      browser.awaitText("confirm-text", text -> text.contains(name));
      confirm("Unlock");
      try (LDAPConnection user = server.anonymous()) {
        user.bind(dn, "secret");
      }
      eventually("it is not listed any more", () -> browser.rows("locked").isEmpty());

      browser.run("document.getElementById('strategy').value = 'striped'");
      browser.press("Switch the strategy");
      confirm("Switch");
      assertThat(server.bean(DispatchMXBean.NAME, DispatchMXBean.class).getStrategy())
          .isEqualTo("striped");
      browser.awaitText("dispatch-list", text -> text.contains("striped"));
    }
    for (String action : List.of("login", "disconnect", "cancel", "unlock", "strategy")) {
      server.awaitLogged("action=" + action);
    }
    assertClean();
  }

  @Test
  void shouldDoWhatIsConfirmedToTheStore() throws Exception {
    open(server.url());
    logIn();
    Path backup = folder.resolve("<b>backup");
    browser.type("backup-directory", backup.toString());
    browser.press("Start a backup");
    confirm("Start the backup");
    JobsMXBean jobs = server.bean(JobsMXBean.NAME, JobsMXBean.class);
    eventually("done", () -> jobs.getJobs().getLast().state().equals(JobsMXBean.DONE));
    assertThat(backup).isNotEmptyDirectory();
    eventuallyHolds(
        () ->
            assertThat(browser.rows("jobs-list"))
                .anySatisfy(row -> assertThat(row).contains("backup " + backup, "done")));

    browser.type("explain-filter", "(description=*<b>y*)");
    browser.press("Explain");
    browser.awaitText("explain-plan", text -> !text.isEmpty() && !text.startsWith("Asking"));
    assertThat(browser.rows("explain-terms").getFirst().getFirst())
        .isEqualTo("(description=*<b>y*)");
    assertThat(browser.facts("explain-facts")).containsEntry("Entries found", "0");
    String index = browser.rows("explain-advice").getFirst().getFirst();
    assertThat(index).isEqualTo("description:sub");
    browser.show(WIDE, browser.height(), false);
    browser.picture("explained");
    browser.press("Build the index description:sub");
    confirm("Build the index");
    StoreMXBean store = server.bean(StoreMXBean.NAME, StoreMXBean.class);
    eventually("built", () -> store.getIndexes().contains("description:sub"));

    browser.type("explain-filter", "(description=");
    browser.press("Explain");
    browser.awaitText("explain-plan", text -> text.contains("filter"));

    endReader(root);
    for (String action : List.of("backup", "explain", "index", "end-reader")) {
      server.awaitLogged("action=" + action);
    }
    assertClean("400 (Bad Request)");
  }

  /** An export that nobody reads keeps a read open. */
  private void endReader(LDAPConnection root) throws Exception {
    Process export =
        new ProcessBuilder(
                ProgramJvm.command(
                    List.of(), List.of("export", "--config=" + server.configuration())))
            .redirectError(folder.resolve("export.err").toFile())
            .start();
    try {
      MeteredBeans.Store store = server.bean(StoreMXBean.NAME, MeteredBeans.Store.class);
      eventually(
          "it reads: " + Files.readString(folder.resolve("export.err")),
          () -> store.getOtherReads() > 0);
      root.modify(
          "uid=u1," + PageServer.TOP, new Modification(ModificationType.REPLACE, "l", "there"));
      browser.press("End process " + export.pid());
      confirm("End the process");
      assertThat(export.onExit().get().exitValue()).isNotZero();
      eventually(
          "it is not listed",
          () ->
              browser.rows("readers").stream()
                  .noneMatch(row -> row.getFirst().equals(Long.toString(export.pid()))));
    } finally {
      export.destroyForcibly();
    }
  }

  @Test
  void shouldComeBackByItself() throws Exception {
    open(server.url());
    root.close();
    server.stop();
    browser.awaitText(
        "banner-text", text -> text.matches("The server .*: trying again in \\d+ s\\."));
    browser.awaitText(
        "banner-text",
        text -> text.matches("The server does not answer: trying again in \\d+ s\\."));
    assertThat(browser.isShown("banner")).isTrue();
    assertThat(browser.text("state-text")).startsWith("Not connected, as of ");
    browser.show(WIDE, 1200, false);
    browser.picture("lost");
    server.start();
    root = server.root();
    eventually("the banner is gone", () -> !browser.isShown("banner"));
    browser.awaitLive();
    assertThat(browser.facts("now-list")).containsEntry("Connections", "1");
    assertClean("net::ERR_", "503");
  }

  @Test
  void shouldNameAProxyThatHoldsEventsBack() throws Exception {
    try (HoldingProxy proxy = new HoldingProxy(server.running().httpAddress().orElseThrow())) {
      browser.open(proxy.url(), WIDE, 1200, false);
      browser.awaitText(
          "banner-text", text -> text.contains("proxy") && text.contains("X-Accel-Buffering: no"));
      assertThat(browser.facts("now-list")).containsEntry("Connections", "1");
      proxy.release();
      eventually("the banner is gone", () -> !browser.isShown("banner"));
      browser.awaitLive();
      assertClean("net::ERR_");
      browser.run("window.stop(); location.replace('about:blank')");
    }
  }

  @Test
  void shouldAskNothingWhenItIsNotSeen() throws Exception {
    open(server.url());
    assertThat(pages()).isEqualTo(1);
    browser.cover();
    eventually("it has gone", () -> pages() == 0);
    browser.uncover();
    browser.awaitLive();
    eventually("it is back", () -> pages() == 1);
    assertClean();
  }

  private long pages() throws Exception {
    return JsonParser.parseString(server.data())
        .getAsJsonObject()
        .getAsJsonObject("page")
        .get("open")
        .getAsLong();
  }
}
