package org.nyala.core.session;

import java.util.Locale;
import org.nyala.core.dispatch.Task;

/** A class of operations of similar cost, of which dispatch keeps one average. */
public enum OperationClass {
  /** Reads of one named entry: base-object searches and compares. */
  ENTRY_READ,
  /** Searches below an entry. */
  SEARCH,
  /** Authentications. */
  BIND,
  /** Adds, deletes, modifications, renames. */
  UPDATE,
  EXTENDED,
  /** Bursts of bytes to be decoded. */
  DECODE;

  /** Returns the number of the class; see {@link Task#costClass}. */
  @SuppressWarnings("EnumOrdinal") // The number has no meaning outside of dispatch.
  public int number() {
    return ordinal();
  }

  /** Returns the name for people. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
