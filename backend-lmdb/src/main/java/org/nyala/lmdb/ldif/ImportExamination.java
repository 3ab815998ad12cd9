package org.nyala.lmdb.ldif;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.nyala.core.dn.Dn;

/** Examines data that an import has built, before it takes the place of the old data. */
@FunctionalInterface
public interface ImportExamination {
  /**
   * Examines the data; called again after entries were left out.
   *
   * @param built the folder with a complete store, which is not open
   * @return the entries that the data must not have, with the reasons; empty if it may stay as it
   *     is
   */
  Map<Dn, String> examine(Path built) throws IOException;
}
