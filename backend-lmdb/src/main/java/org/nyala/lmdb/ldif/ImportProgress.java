package org.nyala.lmdb.ldif;

/** Is told how an import comes along; called some times a second by the importing thread. */
@FunctionalInterface
public interface ImportProgress {
  /** Tells nobody. */
  ImportProgress SILENT = _ -> {};

  /** Takes note. */
  void update(ImportStatus status);
}
