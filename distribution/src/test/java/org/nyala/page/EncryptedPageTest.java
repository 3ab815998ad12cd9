package org.nyala.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;
import static org.nyala.core.Patience.eventuallyHolds;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.SearchScope;
import java.nio.file.Path;
import java.util.Locale;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.management.bean.ConnectionsMXBean;
import org.nyala.management.bean.StoreMXBean;
import org.nyala.server.MeteredBeans;
import org.openqa.selenium.Keys;

/** Watches and administers a server by its live page over TLS in a real browser. */
class EncryptedPageTest {
  @TempDir Path folder;

  @Test
  void shouldShowFiguresAndActOverTlsAlone() throws Exception {
    try (PageServer server = PageServer.encrypted(folder);
        PageBrowser browser = PageBrowser.trusting(folder, server.certificate());
        LDAPConnection victim = server.anonymous()) {
      victim.search(PageServer.TOP, SearchScope.BASE, "(objectClass=*)");
      assertThat(server.url()).startsWith("https://127.0.0.1:");
      browser.open(server.url(), 1400, 1200, false);
      browser.awaitLive();
      assertThat(browser.run("return location.protocol + isSecureContext")).isEqualTo("https:true");
      shouldShowFigures(browser, server);
      shouldAct(browser, server, victim);
      assertThat(browser.requests())
          .isNotEmpty()
          .filteredOn(address -> !address.startsWith("data:") && !address.equals("about:blank"))
          .allSatisfy(address -> assertThat(address).startsWith(server.url()));
      assertThat(browser.complaints()).isEmpty();
      shouldSpeakNothingElse(browser, server);
    }
  }

  private static void shouldShowFigures(PageBrowser browser, PageServer server) throws Exception {
    MeteredBeans.Store store = server.bean(StoreMXBean.NAME, MeteredBeans.Store.class);
    eventuallyHolds(
        () -> {
          assertThat(browser.facts("now-list")).containsEntry("Connections", "1");
          assertThat(browser.facts("store-list"))
              .containsEntry("Entries", String.format(Locale.ROOT, "%,d", store.getEntries()));
        });
  }

  private static void shouldAct(PageBrowser browser, PageServer server, LDAPConnection victim)
      throws Exception {
    int number =
        server.bean(ConnectionsMXBean.NAME, ConnectionsMXBean.class).list(10).getFirst().number();
    browser.press("Log in");
    browser.type("login-name", "admin");
    browser.type("login-password", PageServer.PASSWORD);
    browser.key(Keys.ENTER);
    eventually("logged in", () -> browser.isShown("logout"));
    browser.press("Disconnect connection " + number);
    browser.press("Disconnect");
    eventually("it is disconnected", () -> !victim.isConnected());
    eventually("answered", () -> browser.text("confirm-cancel").equals("Close"));
    browser.press("Close");
    server.awaitLogged("action=disconnect");
  }

  /** Neither the browser nor anybody else gets a byte in plain text. */
  private static void shouldSpeakNothingElse(PageBrowser browser, PageServer server)
      throws Exception {
    String plain = server.url().replace("https://", "http://");
    browser.open(plain, 1400, 1200, false);
    assertThat((String) browser.run("return location.href + document.body.innerText"))
        .startsWith("chrome-error://")
        .contains("ERR_INVALID_HTTP_RESPONSE");
    PageClient.Answer refused =
        new PageClient(server.running().httpAddress().orElseThrow().getPort()).get("/page/data");
    assertThat(refused.status()).isZero();
    assertThat(refused.body()).doesNotContain("{", "Nyala");
    // The certificate is not one that others trust.
    assertThatThrownBy(server::data).isInstanceOf(SSLHandshakeException.class);
  }
}
