package org.nyala.log;

import java.io.IOException;
import java.nio.file.Path;

/** A file of a log that another server writes to: their lines and rotations would mix. */
public final class LogInUseException extends IOException {
  private static final long serialVersionUID = 1;

  LogInUseException(Path file) {
    super(file + " is written by another server: give each server files of its own");
  }
}
