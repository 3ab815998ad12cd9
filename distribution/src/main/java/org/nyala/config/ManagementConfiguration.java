package org.nyala.config;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.nyala.config.NyalaConfig.Jmx;
import org.nyala.config.NyalaConfig.Management;
import org.nyala.core.password.PasswordHash;
import org.nyala.error.ErrorMessages;
import org.nyala.management.WatchSettings;
import org.nyala.management.jmxport.JmxAccount;
import org.nyala.management.jmxport.JmxBounds;
import org.nyala.management.jmxport.JmxRole;

/** Reads the configuration of management. */
final class ManagementConfiguration {
  private static final String HTTP = "http";
  private static final String JMX = "jmx";
  private static final String ADMINISTRATOR = "jmxAdmin";
  private static final String MONITOR = "jmxMonitor";
  private static final int HOUR_SECONDS = 3600;
  private static final int LONGEST_WAIT_MILLIS = 60_000;
  private static final String USER = "user";
  private static final String PASSWORD = "password";

  private final ConfigSection section;
  private final Path base;

  private ManagementConfiguration(ConfigSection section, Path base) {
    this.section = section;
    this.base = base;
  }

  /**
   * Reads the section.
   *
   * @param base the folder that relative paths are relative to
   */
  static Management read(ConfigSection section, Path base) {
    ManagementConfiguration management = new ManagementConfiguration(section, base);
    return new Management(management.address(HTTP), management.jmx(), management.watch());
  }

  private WatchSettings watch() {
    ConfigSection watch = section.section("watch");
    WatchSettings d = WatchSettings.DEFAULT;
    return new WatchSettings(
        watch.integer("intervalSeconds", d.intervalSeconds(), 1, HOUR_SECONDS),
        watch.integer("mapFullPercent", d.mapFullPercent(), 1, 100),
        watch.integer("longReadSeconds", d.longReadSeconds(), 1, HOUR_SECONDS),
        watch.integer("queueWaitMillis", d.queueWaitMillis(), 1, LONGEST_WAIT_MILLIS));
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
    account(ADMINISTRATOR, JmxRole.ADMINISTRATOR).ifPresent(accounts::add);
    account(MONITOR, JmxRole.MONITOR).ifPresent(accounts::add);
    if (accounts.size() > 1 && accounts.getFirst().user().equals(accounts.getLast().user())) {
      throw section.section(MONITOR).problem(USER, "expected a user other than that of jmxAdmin");
    }
    if (address.isPresent() && accounts.isEmpty() && !isLoopback(address.get())) {
      throw section.problem(
          JMX,
          address.get().host()
              + " is not a loopback address: expected a user and a password in "
              + "jmxAdmin or jmxMonitor, because otherwise anyone who reaches the port "
              + "has access");
    }
    return new Jmx(address, accounts, bounds());
  }

  private JmxBounds bounds() {
    JmxBounds d = JmxBounds.DEFAULT;
    return new JmxBounds(
        section.integer(
            "jmxConnectionsPerAddress", d.connectionsPerAddress(), 1, JmxBounds.CONNECTIONS),
        section.integer("jmxLoginSeconds", d.loginSeconds(), 1, HOUR_SECONDS));
  }

  private boolean isLoopback(ListenAddress address) {
    try {
      return InetAddress.getByName(address.host()).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw section.problem(JMX, "there is no host " + address.host());
    }
  }

  private Optional<JmxAccount> account(String key, JmxRole role) {
    ConfigSection account = section.section(key);
    Optional<String> user = account.text(USER);
    Optional<String> password = account.secret(PASSWORD, base);
    if (user.isPresent() != password.isPresent()) {
      throw user.isPresent()
          ? account.problem(USER, "expected either password or passwordFile beside it")
          : section.problem(key, "a password needs a user beside it");
    }
    return user.map(name -> new JmxAccount(name, hash(account, password.orElseThrow()), role));
  }

  private static PasswordHash hash(ConfigSection account, String password) {
    PasswordHash hash = PasswordHash.parse(password.getBytes(UTF_8));
    if (!hash.isUsable()) {
      throw account.problem(PASSWORD, AccountConfiguration.UNUSABLE_PASSWORD);
    }
    return hash;
  }
}
