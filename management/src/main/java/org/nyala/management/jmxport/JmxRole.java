package org.nyala.management.jmxport;

import java.security.Principal;

/** The rights of a client of the JMX port. */
public enum JmxRole implements Principal {
  /** Reads attributes and receives notifications. */
  MONITOR,

  /** Also calls operations and sets attributes. */
  ADMINISTRATOR;

  @Override
  public String getName() {
    return name();
  }
}
