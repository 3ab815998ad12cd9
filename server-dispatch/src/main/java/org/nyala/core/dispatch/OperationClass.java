package org.nyala.core.dispatch;

/**
 * A class of operations of similar cost: adaptive strategies keep one average for each class. There
 * are few, so that each average has enough samples to mean something.
 */
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
  DECODE
}
