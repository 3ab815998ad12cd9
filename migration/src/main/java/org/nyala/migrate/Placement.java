package org.nyala.migrate;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The folders that a configuration names; null for its defaults.
 *
 * <p>Immutable.
 *
 * @param data the data directory
 * @param logs the folder of access, audit and security log
 * @param run the folder of the run files
 */
public record Placement(@Nullable Path data, @Nullable Path logs, @Nullable Path run) {
  public static final Placement DEFAULT = new Placement(null, null, null);

  void write(ConfigurationDraft draft) {
    if (data != null) {
      draft.set("data", text(data), null);
    }
    if (run != null) {
      draft.set("run", text(run), null);
    }
    if (logs != null) {
      draft.set("log.access.file", text(logs.resolve("access.log")), null);
      draft.set("log.audit.file", text(logs.resolve("audit.ldif")), null);
      draft.set("log.security.file", text(logs.resolve("security.log")), null);
    }
  }

  private static String text(Path path) {
    return ConfigurationDraft.text(path.toAbsolutePath().normalize().toString());
  }
}
