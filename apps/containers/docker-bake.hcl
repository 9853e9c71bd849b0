# Images on your own machine, of one artifact:
#   rm -rf pack && ./bench ci pack pack vertx-pg/jvm/pg && mv pack/*.tar pack/app.tar
#   docker buildx bake -f apps/containers/docker-bake.hcl jvm
# or the harness itself, which observes trials in a cluster:
#   OBSERVER=registry.example/plumbline/observer:latest docker buildx bake --push -f apps/containers/docker-bake.hcl observer
# Each variable is taken from the environment, such as TAG=vertx-pg:mine; what is null is left out.
variable "PACK" {
  default = "pack"
}

variable "TAG" {
  default = "plumbline:latest"
}

variable "OBSERVER" {
  default = "plumbline/observer:latest"
}

# What an image stands on in the place of Temurin's or Ubuntu's, and where it is unpacked if that has no shell.
variable "BASE" {
  default = null
}

variable "UNPACK" {
  default = null
}

# What the labels say: the artifact's name and digest, as `./bench ci pack` gives them, and the commit of its sources.
variable "ARTIFACT" {
  default = null
}

variable "SHA256" {
  default = null
}

variable "REVISION" {
  default = null
}

target "labelled" {
  context = PACK
  tags    = [TAG]
  args = {
    BASE   = BASE
    UNPACK = UNPACK
  }
  labels = {
    "plumbline.artifact"                = ARTIFACT
    "plumbline.artifact.sha256"         = SHA256
    "org.opencontainers.image.revision" = REVISION
  }
}

target "jvm" {
  inherits   = ["labelled"]
  dockerfile = "../apps/containers/jvm.Containerfile"
}

target "native" {
  inherits   = ["labelled"]
  dockerfile = "../apps/containers/native.Containerfile"
}

target "observer" {
  context    = "harness"
  dockerfile = "observer.Containerfile"
  tags       = [OBSERVER]
}
