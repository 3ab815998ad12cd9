package org.nyala.lmdb.ldif;

/** Receives the status of an import; called several times a second by the importing thread. */
@FunctionalInterface
public interface ImportProgress {
  /** Ignores the status. */
  ImportProgress SILENT = _ -> {};

  /** Receives the status. */
  void update(ImportStatus status);
}
