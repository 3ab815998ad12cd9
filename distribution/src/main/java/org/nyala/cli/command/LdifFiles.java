package org.nyala.cli.command;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.nio.file.Path;
import org.nyala.lmdb.ldif.ImportSource;

/** The LDIF files that commands read. */
public final class LdifFiles {
  private LdifFiles() {}

  /** Returns the source of a file, or of standard input for {@code -}. */
  public static ImportSource source(String name) {
    return name.equals("-")
        ? ImportSource.stream("standard input", Path.of(""), new FileInputStream(FileDescriptor.in))
        : ImportSource.file(Path.of(name));
  }
}
