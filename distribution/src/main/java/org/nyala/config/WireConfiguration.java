package org.nyala.config;

import static org.nyala.config.ConfigSection.MANY;
import static org.nyala.config.ConfigSection.THREADS;

import java.util.List;
import java.util.Locale;
import org.nyala.error.ErrorMessages;
import org.nyala.netty.WireSettings;

/** Reads the configuration of connections: listeners and limits. */
final class WireConfiguration {
  private static final String DEFAULT_LISTENER =
      ListenAddress.url("127.0.0.1", ListenAddress.DEFAULT_PORT);
  private static final int MILLIS_PER_SECOND = 1000;
  private static final int DAY_SECONDS = 86_400;

  private final ConfigSection root;

  private WireConfiguration(ConfigSection root) {
    this.root = root;
  }

  /** Reads it from the whole file. */
  static WireSettings read(ConfigSection root) {
    return new WireConfiguration(root).wire();
  }

  private WireSettings wire() {
    ConfigSection section = root.section("limits");
    WireSettings d = WireSettings.on("127.0.0.1", ListenAddress.DEFAULT_PORT);
    int anonymous =
        section.integer("pduLimitAnonymousBytes", d.pduLimits().anonymousBytes(), 1024, MANY);
    int low = section.integer("writeBufferLowBytes", d.waterMarks().lowBytes(), 0, MANY);
    return new WireSettings(
        listeners(),
        transport(),
        loops(d.loops()),
        new WireSettings.PduLimits(
            anonymous,
            section.integer("pduLimitBoundBytes", d.pduLimits().boundBytes(), anonymous, MANY)),
        new WireSettings.Connections(
            section.integer("connections", d.connections().all(), 0, MANY),
            section.integer("connectionsPerAddress", d.connections().perAddress(), 0, MANY)),
        timeouts(section, d.timeouts()),
        new WireSettings.WaterMarks(
            low, section.integer("writeBufferHighBytes", d.waterMarks().highBytes(), low, MANY)),
        connectionTable(),
        new WireSettings.Rates(
            section.integer("partialPduBytesPerSecond", d.rates().receiveBytesPerSecond(), 0, MANY),
            section.integer("writeStallBytesPerSecond", d.rates().sendBytesPerSecond(), 0, MANY)),
        codec());
  }

  private WireSettings.Loops loops(WireSettings.Loops d) {
    ConfigSection section = root.section("dispatch");
    return new WireSettings.Loops(
        section.integerOrAuto("eventLoops", 1, THREADS),
        section.integer("connectionsPerEventLoop", d.connectionsPerLoop(), 1, MANY));
  }

  private static WireSettings.Timeouts timeouts(ConfigSection section, WireSettings.Timeouts d) {
    return new WireSettings.Timeouts(
        millis(section, "partialPduTimeoutSeconds", d.partialPduMillis()),
        millis(section, "idleTimeoutSeconds", d.idleMillis()),
        millis(section, "writeStallTimeoutSeconds", d.writeStallMillis()),
        millis(section, "drainTimeoutSeconds", d.drainMillis()));
  }

  private WireSettings.Table connectionTable() {
    ConfigSection section = root.section("dispatch");
    String label = section.text("connectionTable", WireSettings.Table.PER_LOOP.label());
    try {
      return WireSettings.Table.parse(label);
    } catch (IllegalArgumentException e) {
      throw section.problem("connectionTable", ErrorMessages.line(e) + ", found '" + label + "'");
    }
  }

  private static long millis(ConfigSection section, String key, long defaultMillis) {
    int seconds = (int) (defaultMillis / MILLIS_PER_SECOND);
    return (long) section.integer(key, seconds, 0, DAY_SECONDS) * MILLIS_PER_SECOND;
  }

  private List<WireSettings.Listener> listeners() {
    List<String> urls = root.texts("listeners", List.of(DEFAULT_LISTENER));
    if (urls.isEmpty()) {
      throw root.problem("listeners", "expected at least one listener");
    }
    try {
      return urls.stream().map(url -> ListenAddress.parse(url).toListener()).toList();
    } catch (IllegalArgumentException e) {
      throw root.problem("listeners", ErrorMessages.line(e));
    }
  }

  private WireSettings.Codec codec() {
    String word = root.word("codec", "direct", List.of("direct", "apache"));
    return WireSettings.Codec.valueOf(word.toUpperCase(Locale.ROOT));
  }

  private WireSettings.Transport transport() {
    List<String> offered = List.of(ConfigSection.AUTO, "epoll", "io_uring", "nio");
    String word = root.word("transport", ConfigSection.AUTO, offered);
    return WireSettings.Transport.valueOf(word.toUpperCase(Locale.ROOT));
  }
}
