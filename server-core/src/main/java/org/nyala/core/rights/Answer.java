package org.nyala.core.rights;

/** The answer to whether a client has a right to the values of an attribute. */
public enum Answer {
  /** To all of them, whatever they are. */
  GRANTED,
  /** To none of them. */
  DENIED,
  /** To some values perhaps, and not to others: each has to be asked about. */
  DEPENDS
}
