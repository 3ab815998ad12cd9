package org.nyala.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails the test class after which a buffer is found that was collected but never released. */
public final class LeakCheck implements BeforeAllCallback, AfterAllCallback {
  private static final Queue<String> LEAKS = new ConcurrentLinkedQueue<>();

  static {
    ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(
        new ResourceLeakDetectorFactory() {
          @Override
          @Deprecated
          public <T> ResourceLeakDetector<T> newResourceLeakDetector(
              Class<T> resource, int samplingInterval, long maxActive) {
            return new Recording<>(resource, samplingInterval);
          }

          @Override
          public <T> ResourceLeakDetector<T> newResourceLeakDetector(
              Class<T> resource, int samplingInterval) {
            return new Recording<>(resource, samplingInterval);
          }
        });
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    // The static initialiser has set the level, before the first buffer.
    assertThat(ResourceLeakDetector.getLevel()).isEqualTo(ResourceLeakDetector.Level.PARANOID);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    for (int i = 0; i < 20; i++) {
      if (i % 10 == 0) {
        System.gc();
      }
      ByteBuf probe = PooledByteBufAllocator.DEFAULT.directBuffer(16);
      probe.release();
    }
    assertThat(LEAKS).as("leaked buffers").isEmpty();
  }

  private static final class Recording<T> extends ResourceLeakDetector<T> {
    @SuppressWarnings("deprecation")
    Recording(Class<?> resource, int samplingInterval) {
      super(resource, samplingInterval);
    }

    @Override
    protected boolean needReport() {
      return true;
    }

    @Override
    protected void reportTracedLeak(String resourceType, String records) {
      LEAKS.add(resourceType + records);
    }

    @Override
    protected void reportUntracedLeak(String resourceType) {
      LEAKS.add(resourceType);
    }
  }
}
