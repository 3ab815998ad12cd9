package org.nyala.cli;

import java.io.IOException;
import org.nyala.management.bean.LocalManagement;
import org.nyala.service.RunningManagement;
import picocli.CommandLine.Mixin;

/**
 * The base of the commands on a data directory.
 *
 * <p>Confined to the thread that executes the command.
 */
abstract class DataCommand extends NyalaCommand {
  @Mixin private DataOptions data = new DataOptions();

  final DataOptions data() {
    return data;
  }

  /** Connects to the management of the server that runs on it. */
  final LocalManagement connect() throws IOException {
    return new RunningManagement(data.runDirectory()).connect();
  }
}
