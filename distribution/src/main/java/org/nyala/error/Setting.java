package org.nyala.error;

import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueFactory;
import org.jspecify.annotations.Nullable;

/**
 * What one key of the configuration stands at, and where that comes from.
 *
 * <p>Immutable.
 *
 * @param value the value in HOCON, on one line; {@code null} in HOCON where there is none
 * @param origin {@link #DEFAULT}, a file and its line, {@code environment}, or the command line
 * @param isHidden whether nobody is to be shown the value
 */
public record Setting(String value, String origin, boolean isHidden) {
  /** The origin of what stands in no file. */
  public static final String DEFAULT = "default";

  /** The origin of what a command was told. */
  public static final String COMMAND_LINE = "command line";

  /** The origin of what was changed over JMX. */
  public static final String MANAGEMENT = "JMX";

  private static final String VARIABLE = "env var";

  public static Setting of(ConfigValue value) {
    return new Setting(value.render(ConfigRenderOptions.concise()), origin(value.origin()), false);
  }

  /** A value that is no HOCON yet: text, a number, a truth value or a list of those. */
  public static Setting of(Object value, String origin) {
    return of(ConfigValueFactory.fromAnyRef(value, origin));
  }

  /** The same, not to be shown. */
  public Setting hidden() {
    return new Setting("null", origin, true);
  }

  /** Whether it stands in no file and was not asked for otherwise. */
  public boolean isDefault() {
    return origin.equals(DEFAULT);
  }

  /** Where a value stands, for people. */
  static String origin(ConfigOrigin origin) {
    @Nullable String file = origin.filename();
    String name = file == null ? origin.description() : file;
    if (name.startsWith(VARIABLE)) {
      return "environment";
    }
    return origin.lineNumber() < 0 || file == null ? name : name + ":" + origin.lineNumber();
  }
}
