package org.nyala.core.quality;

import java.io.IOException;

/** The failure to read a list of breached passwords that is damaged, or none at all. */
public final class DamagedListException extends IOException {
  private static final long serialVersionUID = 1;

  DamagedListException(String message) {
    super(message);
  }
}
