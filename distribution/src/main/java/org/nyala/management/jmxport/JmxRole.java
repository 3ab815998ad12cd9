package org.nyala.management.jmxport;

import java.security.Principal;

/** What somebody may do who came in over the JMX port. */
public enum JmxRole implements Principal {
  /** Reads attributes and takes notifications. */
  MONITOR,

  /** Calls operations and sets attributes besides. */
  ADMINISTRATOR;

  @Override
  public String getName() {
    return name();
  }
}
