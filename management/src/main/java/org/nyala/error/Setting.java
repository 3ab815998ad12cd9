package org.nyala.error;

import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueFactory;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The value of one key of the configuration, and its origin.
 *
 * <p>Immutable.
 *
 * @param value the value in HOCON, on one line; {@code null} in HOCON if there is none
 * @param origin {@link #DEFAULT}, a file and its line, {@code environment}, or the command line
 * @param isHidden whether the value must not be shown
 */
public record Setting(String value, String origin, boolean isHidden) {
  /** The origin of defaults. */
  public static final String DEFAULT = "default";

  /** The origin of options of a command. */
  public static final String COMMAND_LINE = "command line";

  /** The origin of changes over JMX. */
  public static final String MANAGEMENT = "JMX";

  private static final String PASSWORD = "password";
  private static final String VARIABLE = "env var";

  public static Setting of(ConfigValue value) {
    return new Setting(value.render(ConfigRenderOptions.concise()), origin(value.origin()), false);
  }

  /**
   * Creates a setting from a value that is not HOCON yet: text, a number, a truth value or a list
   * of those.
   */
  public static Setting of(Object value, String origin) {
    return of(ConfigValueFactory.fromAnyRef(value, origin));
  }

  /** Returns the setting of a list of objects; their passwords are not shown. */
  public static Setting withoutPasswords(ConfigList list) {
    List<ConfigValue> shown = new ArrayList<>();
    for (ConfigValue element : list) {
      boolean hasPassword = element instanceof ConfigObject object && object.containsKey(PASSWORD);
      shown.add(
          hasPassword && element instanceof ConfigObject object
              ? object.withValue(PASSWORD, ConfigValueFactory.fromAnyRef("(hidden)"))
              : element);
    }
    return of(ConfigValueFactory.fromIterable(shown).withOrigin(list.origin()));
  }

  /** Returns the same setting, not to be shown. */
  public Setting hidden() {
    return new Setting("null", origin, true);
  }

  public boolean isDefault() {
    return origin.equals(DEFAULT);
  }

  /** Returns the origin of a value for people. */
  static String origin(ConfigOrigin origin) {
    @Nullable String file = origin.filename();
    String name = file == null ? origin.description() : file;
    if (name.startsWith(VARIABLE)) {
      return "environment";
    }
    return origin.lineNumber() < 0 || file == null ? name : name + ":" + origin.lineNumber();
  }
}
