package org.nyala.management.bean;

import java.io.IOException;
import java.nio.file.Path;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.nyala.lmdb.env.CommitEvent;
import org.nyala.log.OperationEvent;

/**
 * The contents of a flight recording about the server.
 *
 * <p>Immutable.
 *
 * @param operations operations that exceeded the bound of the recording
 * @param commits commits of the store
 * @param switches changes of the dispatch strategy
 */
public record RecordedServer(long operations, long commits, long switches) {
  public static RecordedServer read(Path recording) throws IOException {
    long operations = 0;
    long commits = 0;
    long switches = 0;
    try (RecordingFile file = new RecordingFile(recording)) {
      while (file.hasMoreEvents()) {
        RecordedEvent event = file.readEvent();
        switch (event.getEventType().getName()) {
          case OperationEvent.NAME -> operations++;
          case CommitEvent.NAME -> commits++;
          case StrategyEvent.NAME -> switches++;
          default -> {
            // An event of the JVM.
          }
        }
      }
    }
    return new RecordedServer(operations, commits, switches);
  }
}
