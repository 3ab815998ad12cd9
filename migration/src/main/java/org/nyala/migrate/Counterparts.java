package org.nyala.migrate;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nyala.core.slapd.SlapdDirective;

/**
 * The directives and overlays that no key stands for: those that need none, and for the others the
 * meaning of their loss, read from {@code counterparts.txt}. Stateless.
 */
final class Counterparts {
  private static final String TABLE = "counterparts.txt";
  private static final Pattern LINE =
      Pattern.compile("(directive|overlay) ([a-z0-9]+)(?:: (\\S.*))?");

  private static final String UNKNOWN =
      "not known here: look up in slapd's manual what is lost with it";

  /** The meanings of the losses by kind and name; empty for those that need no counterpart. */
  private static final Map<String, String> LOSSES = read();

  private Counterparts() {}

  private static Map<String, String> read() {
    Map<String, String> losses = new HashMap<>();
    try (InputStream in = Counterparts.class.getResourceAsStream(TABLE)) {
      if (in == null) {
        throw new IllegalStateException(TABLE + " is not there");
      }
      for (String line : new String(in.readAllBytes(), UTF_8).split("\n", -1)) {
        if (!line.isEmpty() && !line.startsWith("#")) {
          add(losses, line);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return losses;
  }

  private static void add(Map<String, String> losses, String line) {
    Matcher parts = LINE.matcher(line);
    if (!parts.matches()) {
      throw new IllegalStateException(TABLE + ": " + line);
    }
    String loss = Objects.requireNonNullElse(parts.group(3), "");
    if (losses.put(parts.group(1) + ' ' + parts.group(2), loss) != null) {
      throw new IllegalStateException(TABLE + " has a name twice: " + line);
    }
  }

  /** Notes a directive that nothing has translated. */
  static void note(Translation translation, SlapdDirective directive) {
    String loss = LOSSES.getOrDefault("directive " + directive.name(), UNKNOWN);
    if (isDefault(directive)) {
      translation.needless(directive, "slapd's default");
    } else if (loss.isEmpty()) {
      translation.needless(directive, "needs no counterpart");
    } else {
      translation.missing(directive, loss);
    }
  }

  /** Returns whether a directive says what is so without it, as cn=config says of many. */
  static boolean isDefault(SlapdDirective directive) {
    String value = directive.value().toLowerCase(Locale.ROOT);
    return switch (directive.name()) {
      case "authzpolicy" -> value.equals("none");
      case "saslsecprops" -> value.equals("noplain,noanonymous");
      case "maxentrysize" -> value.equals("0");
      case "lastmod" -> directive.isOn();
      case "hidden",
          "lastbind",
          "lastbindforwardupdates",
          "lastbindprecision",
          "monitoring",
          "multiprovider",
          "readonly" ->
          directive.isOff();
      case "maxderefdepth" -> value.equals("15");
      case "tlsverifyclient" -> value.equals("never");
      default -> directive.name().startsWith("saslauxprops");
    };
  }

  /** Returns what the loss of an overlay means; empty if it is built in. */
  static String lossOf(String overlay) {
    return LOSSES.getOrDefault("overlay " + overlay, UNKNOWN);
  }
}
