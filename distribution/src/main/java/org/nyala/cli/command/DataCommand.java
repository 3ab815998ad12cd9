package org.nyala.cli.command;

import org.nyala.management.bean.LocalManagement;
import org.nyala.service.RunningManagement;
import picocli.CommandLine.Mixin;

/**
 * The base of the commands on a data directory.
 *
 * <p>Confined to the thread that executes the command.
 */
public abstract class DataCommand extends NyalaCommand {
  @Mixin private DataOptions data = new DataOptions();

  /** Returns the options that select the data. */
  protected final DataOptions data() {
    return data;
  }

  /** Returns whether a server runs on the data. */
  protected final boolean isServed() {
    return data.runDirectory().holder().isPresent();
  }

  /** Connects to the management of the server that runs on it. */
  protected final LocalManagement connect() {
    return new RunningManagement(data.runDirectory()).connect();
  }
}
