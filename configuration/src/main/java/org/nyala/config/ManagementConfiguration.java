package org.nyala.config;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.nyala.config.NyalaConfig.Http;
import org.nyala.config.NyalaConfig.Jmx;
import org.nyala.config.NyalaConfig.Management;
import org.nyala.core.limits.Keys;
import org.nyala.core.password.PasswordHash;
import org.nyala.error.ErrorMessages;
import org.nyala.management.WatchSettings;
import org.nyala.management.http.HttpAccess;
import org.nyala.management.http.HttpAccess.PageAccess;
import org.nyala.management.http.HttpAccount;
import org.nyala.management.jmxport.JmxAccount;
import org.nyala.management.jmxport.JmxBounds;
import org.nyala.management.jmxport.JmxRole;
import org.nyala.netty.tls.ClientCertificates;
import org.nyala.netty.tls.TlsSettings;

/** Reads the configuration of management. */
final class ManagementConfiguration {
  private static final String HTTP = "http";
  private static final String HTTP_TLS = "httpTls";
  private static final String HTTP_ACCOUNT = "httpMonitor";
  private static final String HTTP_ADMINISTRATOR = "httpAdmin";
  private static final String HTTP_PAGE = "httpPage";
  private static final String JMX = "jmx";
  private static final String JMX_TLS = "jmxTls";
  private static final String ADMINISTRATOR = "jmxAdmin";
  private static final String MONITOR = "jmxMonitor";
  private static final String USER = "user";
  private static final String PASSWORD = "password";

  private static final int USUAL_SHAPES = 512;
  private static final int MOST_SHAPES = 16_384;

  /** The user and the password of an account. */
  private record Login(String user, PasswordHash password) {}

  private final ConfigSection section;

  private ManagementConfiguration(ConfigSection section) {
    this.section = section;
  }

  /**
   * Reads the section.
   *
   * @param shared the certificates of LDAP, for ports without their own
   */
  static Management read(ConfigSection section, TlsSettings shared) {
    ManagementConfiguration management = new ManagementConfiguration(section);
    Http http = management.http();
    Jmx jmx = management.jmx();
    TlsSettings tls = management.tls(shared, http.isTls(), jmx.isTls());
    return new Management(
        http,
        jmx,
        Keys.read(WatchSettings.class, section.section("watch")),
        tls,
        section.integer("searchShapes", USUAL_SHAPES, 0, MOST_SHAPES));
  }

  private TlsSettings tls(TlsSettings shared, boolean isOfHttp, boolean isOfJmx) {
    Optional<TlsSettings.Files> own = WireConfiguration.files(section.section("tls"));
    if (!isOfHttp && !isOfJmx) {
      return TlsSettings.NONE;
    }
    List<TlsSettings.Files> files = own.map(List::of).orElse(shared.certificates());
    if (files.isEmpty()) {
      throw section.problem(
          isOfHttp ? HTTP_TLS : JMX_TLS,
          "needs a certificate: set nyala.tls.certificate, or nyala.management.tls.certificate for"
              + " another one");
    }
    return new TlsSettings(
        TlsSettings.Engine.JDK,
        files,
        shared.handshakeMillis(),
        shared.checkSeconds(),
        ClientCertificates.NONE);
  }

  private Http http() {
    Optional<ListenAddress> address = address(HTTP);
    boolean isTls = section.bool(HTTP_TLS, false);
    HttpAccess access =
        new HttpAccess(httpAccount(HTTP_ACCOUNT), httpAccount(HTTP_ADMINISTRATOR), page());
    requireNoClearText(address, isTls, access.monitor(), HTTP_ACCOUNT);
    requireNoClearText(address, isTls, access.admin(), HTTP_ADMINISTRATOR);
    if (access.monitor().isPresent()
        && access.monitor().map(HttpAccount::user).equals(access.admin().map(HttpAccount::user))) {
      throw section
          .section(HTTP_ADMINISTRATOR)
          .problem(USER, "expected a user other than that of httpMonitor");
    }
    if (access.page() == PageAccess.LOGIN
        && access.monitor().isEmpty()
        && access.admin().isEmpty()) {
      throw section.problem(
          HTTP_PAGE,
          "a login needs an account: set management.httpAdmin or management.httpMonitor");
    }
    return new Http(address, isTls, access);
  }

  private Optional<HttpAccount> httpAccount(String key) {
    return login(key).map(login -> new HttpAccount(login.user(), login.password()));
  }

  private PageAccess page() {
    List<String> offered =
        Stream.of(PageAccess.values()).map(each -> each.name().toLowerCase(Locale.ROOT)).toList();
    String word = section.word(HTTP_PAGE, offered.getFirst(), offered);
    return PageAccess.valueOf(word.toUpperCase(Locale.ROOT));
  }

  private void requireNoClearText(
      Optional<ListenAddress> address,
      boolean isTls,
      Optional<HttpAccount> account,
      String accountKey) {
    if (account.isPresent() && !isTls && address.isPresent() && !isLoopback(HTTP, address.get())) {
      throw section.problem(
          HTTP,
          address.get().host()
              + " is not a loopback address: the password of "
              + accountKey
              + " would cross the network in clear text: set httpTls = true, or listen on"
              + " 127.0.0.1");
    }
  }

  private Optional<ListenAddress> address(String key) {
    return section.text(key).map(text -> address(key, text));
  }

  private ListenAddress address(String key, String text) {
    try {
      return ListenAddress.parseHostAndPort(text);
    } catch (IllegalArgumentException e) {
      throw section.problem(key, ErrorMessages.line(e));
    }
  }

  private Jmx jmx() {
    Optional<ListenAddress> address = address(JMX);
    List<JmxAccount> accounts = new ArrayList<>();
    boolean isTls = section.bool(JMX_TLS, false);
    account(ADMINISTRATOR, JmxRole.ADMINISTRATOR).ifPresent(accounts::add);
    account(MONITOR, JmxRole.MONITOR).ifPresent(accounts::add);
    if (accounts.size() > 1 && accounts.getFirst().user().equals(accounts.getLast().user())) {
      throw section.section(MONITOR).problem(USER, "expected a user other than that of jmxAdmin");
    }
    if (address.isPresent() && accounts.isEmpty() && !isLoopback(JMX, address.get())) {
      throw section.problem(
          JMX,
          address.get().host()
              + " is not a loopback address: expected a user and a password in "
              + "jmxAdmin or jmxMonitor, because otherwise anyone who reaches the port "
              + "has access");
    }
    return new Jmx(address, isTls, accounts, Keys.read(JmxBounds.class, section));
  }

  private boolean isLoopback(String key, ListenAddress address) {
    try {
      return InetAddress.getByName(address.host()).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw section.problem(key, "there is no host " + address.host());
    }
  }

  private Optional<JmxAccount> account(String key, JmxRole role) {
    return login(key).map(login -> new JmxAccount(login.user(), login.password(), role));
  }

  private Optional<Login> login(String key) {
    ConfigSection account = section.section(key);
    Optional<String> user = account.text(USER);
    Optional<String> password = account.password(PASSWORD);
    if (user.isPresent() != password.isPresent()) {
      throw user.isPresent()
          ? account.problem(USER, "expected either password or passwordFile beside it")
          : section.problem(key, "a password needs a user beside it");
    }
    return user.map(name -> new Login(name, hash(account, password.orElseThrow())));
  }

  private static PasswordHash hash(ConfigSection account, String password) {
    PasswordHash hash = PasswordHash.parse(password.getBytes(UTF_8));
    if (!hash.isUsable()) {
      throw account.problem(PASSWORD, AccountConfiguration.UNUSABLE_PASSWORD);
    }
    return hash;
  }
}
